import { type ReactNode, useState } from 'react';
import type { AccessTokenShape } from '../../../../src/api/contract.ts';
import { Instant } from '../../shared/look/instant.tsx';
import { StateBadge } from '../../shared/look/state-badge.tsx';
import { ConfirmDialog } from '../../shared/parts/confirm-dialog.tsx';
import { type Column, DataTable } from '../../shared/parts/data-table.tsx';
import { RowButton } from '../../shared/parts/row-button.tsx';
import { useNow } from '../../shared/time/use-now.ts';
import { useRevokeToken } from './use-tokens.ts';

const MINUTE_MS = 60_000;

export function TokenTable({ tokens }: { readonly tokens: readonly AccessTokenShape[] }): ReactNode {
  return <DataTable name="Access tokens" columns={columns} rows={tokens} rowKey={({ id }) => id} />;
}

const columns: readonly Column<AccessTokenShape>[] = [
  { id: 'name', name: 'Name', sortBy: ({ name }) => name, cell: ({ name }) => name },
  { id: 'scopes', name: 'May', cell: ({ scopes }) => scopes.join(', ') },
  {
    id: 'made',
    name: 'Made',
    wideOnly: true,
    sortBy: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => <Instant at={createdAt} />,
  },
  { id: 'state', name: 'State', cell: (token) => <State of={token} /> },
  { id: 'revoke', name: '', cell: (token) => token.revokedAt === null && <Revoke of={token} /> },
];

interface OfToken {
  readonly of: AccessTokenShape;
}

function State({ of: { revokedAt, expiresAt } }: OfToken): ReactNode {
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

function Revoke({ of }: OfToken): ReactNode {
  const [open, setOpen] = useState(false);
  const revoke = useRevokeToken(of.id);
  const close = (): void => setOpen(false);
  return (
    <>
      <RowButton deed="Revoke" of={of.name} onClick={() => setOpen(true)} />
      {open && (
        <ConfirmDialog
          title={`Revoke ${of.name}?`}
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
