import { type ReactNode, useState } from 'react';
import type { ListedToken } from '../../../../src/contract/accounts.ts';
import { Instant } from '../../shared/theme/instant.tsx';
import { StateBadge } from '../../shared/theme/state-badge.tsx';
import { Actor } from '../../shared/names/actor.tsx';
import { actorText } from '../../shared/names/actor-text.ts';
import { ConfirmDialog } from '../../shared/ui/confirm-dialog.tsx';
import { type TableColumn, DataTable } from '../../shared/ui/data-table.tsx';
import { RowButton } from '../../shared/ui/row-button.tsx';
import { useMay } from '../../shared/session/session.ts';
import { useNow } from '../../shared/time/use-now.ts';
import { useRevokeToken } from './use-tokens.ts';
import { isolated } from '../../shared/format/isolated.ts';

const MINUTE_MS = 60_000;

/** Those of all to who manages them all, with whose they are. */
export function TokenTable({ tokens }: { readonly tokens: readonly ListedToken[] }): ReactNode {
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
    cell: ({ madeBy, madeByName }) => <Actor id={madeBy} name={madeByName} />,
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

function tokenMaker({ madeBy, madeByName }: ListedToken): string {
  return actorText(madeBy, madeByName);
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
