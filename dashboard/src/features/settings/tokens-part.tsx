import { Button, Checkbox } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { ListedToken } from '../../../../src/contract/accounts.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { Actor, actorText } from '../../shared/names/actor.tsx';
import { useMay, useWorkspace } from '../../shared/session/session.ts';
import { useNow } from '../../shared/time/clock.ts';
import { endOfDay } from '../../shared/time/local-day.ts';
import { Card } from '../../shared/ui/card.tsx';
import { CopyBlock } from '../../shared/ui/copy-block.tsx';
import { DataTable, RowButton, type TableColumn } from '../../shared/ui/data-table.tsx';
import { ConfirmDialog, Dialog, FormDialog } from '../../shared/ui/dialog.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Instant, StateBadge } from '../../shared/ui/values.tsx';
import { type TokenScope, useCreateToken, useRevokeToken, useTokens } from './queries.ts';
import { DateField } from '../../shared/ui/date-field.tsx';
import { TextField } from '../../shared/ui/form-inputs.tsx';
import { TablePlaceholder } from '../../shared/ui/placeholders.tsx';

const SCOPE_NAMES: Readonly<Record<TokenScope, string>> = {
  'usage:read': 'Read usage, calls, limits, prices and savings',
  'alerts:read': 'Read alerts and mark them as read',
  'webhooks:write': 'Manage webhooks',
  'sync:write': 'Upload local usage',
  'otlp:write': 'Send telemetry',
  admin: 'Full access to this workspace',
};
/** Scopes that members may grant; admins may grant all. */
const MEMBER_SCOPES: readonly TokenScope[] = ['usage:read', 'alerts:read', 'sync:write', 'otlp:write'];
const ADMIN_SCOPES: readonly TokenScope[] = [...MEMBER_SCOPES, 'webhooks:write', 'admin'];
const DEFAULT_SCOPES: readonly TokenScope[] = MEMBER_SCOPES.filter((scope) => scope !== 'otlp:write');

/** Access tokens for programs that use the API. */
export function TokensPart(): ReactNode {
  return (
    <Card title="Access tokens" aside={<NewTokenButton />}>
      <p className="soft">
        Access tokens are for the API, the tool server and uploads of local usage. Calls to providers use wrapped keys
        instead.
      </p>
      <Loaded of={useTokens()} placeholder={<TablePlaceholder rows={3} />}>
        {(tokens) =>
          tokens.length === 0 ? (
            <EmptyState icon="keys" title="No access tokens yet">
              Create one for a script that reads usage, or for the tools of your assistant.
            </EmptyState>
          ) : (
            <TokenTable tokens={tokens} />
          )
        }
      </Loaded>
    </Card>
  );
}

function NewTokenButton(): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Create token</Button>
      {open && <NewTokenDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function NewTokenDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { timeZone } = useWorkspace();
  const scopes = useMay('manage') ? ADMIN_SCOPES : MEMBER_SCOPES;
  const create = useCreateToken();
  if (create.data) return <TokenCreated secret={create.data.token} onClose={onClose} />;
  return (
    <FormDialog
      title="Create access token"
      actionLabel="Create token"
      busy={create.isPending}
      error={create.error}
      onClose={onClose}
      onSubmit={(fields) => {
        const lastDay = fields('lastDay');
        create.mutate({
          name: fields('name'),
          scopes: scopes.filter((scope) => fields(scope) !== ''),
          expiresAt: lastDay === '' ? null : endOfDay(lastDay, timeZone),
        });
      }}
    >
      <TextField name="name" label="Name" description="The program that will use it" required />
      <Checkbox.Group label="Permissions" defaultValue={[...DEFAULT_SCOPES]}>
        <div className="stack">
          {scopes.map((scope) => (
            <Checkbox key={scope} name={scope} value={scope} label={SCOPE_NAMES[scope]} description={scope} />
          ))}
        </div>
      </Checkbox.Group>
      <DateField
        name="lastDay"
        label="Expires"
        description={`End of this day in ${timeZone}. Leave empty for no expiry.`}
      />
    </FormDialog>
  );
}

function TokenCreated({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }): ReactNode {
  return (
    <Dialog title="Copy your token now" onClose={onClose}>
      <div className="stack">
        <p>Tollbook shows this token only once.</p>
        <CopyBlock first name="access token" text={secret} />
        <p className="soft">To set up the tools of an assistant:</p>
        <CopyBlock name="tool setup" text="SVC_API_KEY=<the token> npx tollbook tools --setup" />
        <div className="row">
          <Button onClick={onClose}>Done</Button>
        </div>
      </div>
    </Dialog>
  );
}

/** Access tokens. Admins see those of all members, with their creator. */
function TokenTable({ tokens }: { readonly tokens: readonly ListedToken[] }): ReactNode {
  const managesAll = useMay('manage');
  const shown = managesAll ? tokenColumns : tokenColumns.filter(({ id }) => id !== 'maker');
  return <DataTable name="Access tokens" columns={shown} rows={tokens} rowKey={({ id }) => id} />;
}

const tokenColumns: readonly TableColumn<ListedToken>[] = [
  {
    id: 'name',
    name: 'Name',
    sortBy: ({ name }) => name,
    cell: (token) => (
      <>
        {token.name}
        <span className="soft beneath narrow">
          {scopesText(token)} · created by {isolated(tokenMaker(token))}
        </span>
      </>
    ),
  },
  { id: 'scopes', name: 'Permissions', wideOnly: true, cell: scopesText },
  {
    id: 'maker',
    name: 'Created by',
    wideOnly: true,
    sortBy: tokenMaker,
    cell: ({ createdBy, createdByName }) => <Actor id={createdBy} name={createdByName} />,
  },
  {
    id: 'made',
    name: 'Created',
    wideOnly: true,
    sortBy: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => <Instant at={createdAt} />,
  },
  { id: 'state', name: 'State', cell: (token) => <TokenState of={token} /> },
  { id: 'revoke', name: '', cell: (token) => token.revokedAt === null && <RevokeToken of={token} /> },
];

/** Lists the scopes; `admin` includes all others. */
function scopesText({ scopes }: ListedToken): string {
  return (scopes.includes('admin') ? ['admin'] : scopes).join(', ');
}

function tokenMaker({ createdBy, createdByName }: ListedToken): string {
  return actorText(createdBy, createdByName);
}

interface TokenProps {
  readonly of: ListedToken;
}

function TokenState({ of: { revokedAt, expiresAt } }: TokenProps): ReactNode {
  const now = useNow();
  const expired = expiresAt !== null && Date.parse(expiresAt) <= now;
  const word = revokedAt !== null ? 'Revoked' : expired ? 'Expired' : 'Active';
  return (
    <>
      <StateBadge color={word === 'Active' ? 'teal' : 'gray'}>{word}</StateBadge>
      {word === 'Active' && expiresAt !== null && (
        <span className="soft">
          {' '}
          until <Instant at={expiresAt} />
        </span>
      )}
    </>
  );
}

function RevokeToken({ of }: TokenProps): ReactNode {
  const [open, setOpen] = useState(false);
  const revoke = useRevokeToken(of.id);
  const close = (): void => setOpen(false);
  return (
    <>
      <RowButton actionLabel="Revoke" of={of.name} onClick={() => setOpen(true)} />
      {open && (
        <ConfirmDialog
          title={`Revoke ${isolated(of.name)}?`}
          actionLabel="Revoke token"
          busy={revoke.isPending}
          error={revoke.error}
          onConfirm={() => revoke.mutate(undefined, { onSuccess: close })}
          onClose={close}
        >
          Requests with this token are refused from now on. This cannot be undone.
        </ConfirmDialog>
      )}
    </>
  );
}
