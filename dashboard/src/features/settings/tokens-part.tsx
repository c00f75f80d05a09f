import { Button, Checkbox, TextInput } from '@mantine/core';
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

const SCOPE_NAMES: Readonly<Record<TokenScope, string>> = {
  'usage:read': 'Read usage, calls, limits, prices and savings',
  'alerts:read': 'Read alerts and mark them',
  'webhooks:write': 'List and change webhooks',
  'sync:write': 'Upload local sessions',
  admin: 'Everything in this workspace',
};
/** Whoever manages may give all of them, others what a member may. */
const MEMBER_SCOPES: readonly TokenScope[] = ['usage:read', 'alerts:read', 'sync:write'];
const ADMIN_SCOPES: readonly TokenScope[] = [...MEMBER_SCOPES, 'webhooks:write', 'admin'];
const DEFAULT_SCOPES: readonly TokenScope[] = MEMBER_SCOPES;

/** Secrets for programs that read the book. */
export function TokensPart(): ReactNode {
  return (
    <Card title="Access tokens" aside={<NewTokenButton />}>
      <p className="soft">
        For the API, the tool server and syncs. They read the book; calls to providers go with wrapped keys.
      </p>
      <Loaded of={useTokens()}>
        {(tokens) =>
          tokens.length === 0 ? (
            <EmptyState icon="keys" title="No access token yet">
              Make one for a script that reads reports, or for the tools of your assistant.
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
      <Button onClick={() => setOpen(true)}>Make a token</Button>
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
      title="Make an access token"
      deed="Make it"
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
      <TextInput name="name" label="Name" description="What will use it" required />
      <Checkbox.Group label="It may" defaultValue={[...DEFAULT_SCOPES]}>
        <div className="stack">
          {scopes.map((scope) => (
            <Checkbox key={scope} name={scope} value={scope} label={SCOPE_NAMES[scope]} description={scope} />
          ))}
        </div>
      </Checkbox.Group>
      <TextInput
        name="lastDay"
        type="date"
        label="Last day it works"
        description={`Days of ${timeZone}; empty = it works until it is revoked`}
      />
    </FormDialog>
  );
}

function TokenCreated({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }): ReactNode {
  return (
    <Dialog title="Keep the token" onClose={onClose}>
      <div className="stack">
        <p>It is shown only now.</p>
        <CopyBlock first name="access token" text={secret} />
        <p className="soft">For the tools of an assistant:</p>
        <CopyBlock name="setup of the tools" text="SVC_API_KEY=<the token> npx tollbook tools --setup" />
        <div className="row">
          <Button onClick={onClose}>Done</Button>
        </div>
      </div>
    </Dialog>
  );
}

const MINUTE_MS = 60_000;

/** Those of all to who manages them all, with whose they are. */
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
          {scopesText(token)}; made by {isolated(tokenMaker(token))}
        </span>
      </>
    ),
  },
  { id: 'scopes', name: 'May', wideOnly: true, cell: scopesText },
  {
    id: 'maker',
    name: 'Made by',
    wideOnly: true,
    sortBy: tokenMaker,
    cell: ({ createdBy, createdByName }) => <Actor id={createdBy} name={createdByName} />,
  },
  {
    id: 'made',
    name: 'Made',
    wideOnly: true,
    sortBy: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => <Instant at={createdAt} />,
  },
  { id: 'state', name: 'State', cell: (token) => <TokenState of={token} /> },
  { id: 'revoke', name: '', cell: (token) => token.revokedAt === null && <RevokeToken of={token} /> },
];

/** `admin` includes the others. */
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
  const now = useNow(MINUTE_MS);
  const expired = expiresAt !== null && Date.parse(expiresAt) <= now;
  const word = revokedAt !== null ? 'revoked' : expired ? 'expired' : 'works';
  return (
    <>
      <StateBadge color={word === 'works' ? 'teal' : 'gray'}>{word}</StateBadge>
      {word === 'works' && expiresAt !== null && (
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
      <RowButton deed="Revoke" of={of.name} onClick={() => setOpen(true)} />
      {open && (
        <ConfirmDialog
          title={`Revoke ${isolated(of.name)}?`}
          deed="Revoke token"
          busy={revoke.isPending}
          error={revoke.error}
          onConfirm={() => revoke.mutate(undefined, { onSuccess: close })}
          onClose={close}
        >
          Requests with it are refused from now on; it can’t be undone.
        </ConfirmDialog>
      )}
    </>
  );
}
