import type { ReactNode } from 'react';
import type { SessionShape } from '../../../../src/api/contract-accounts.ts';
import { Ago } from '../../shared/look/instant.tsx';
import { type Column, DataTable } from '../../shared/parts/data-table.tsx';

export function SessionTable({ sessions }: { readonly sessions: readonly SessionShape[] }): ReactNode {
  return <DataTable name="Sessions" columns={columns} rows={sessions} rowKey={({ id }) => id} />;
}

const columns: readonly Column<SessionShape>[] = [
  { id: 'agent', name: 'Browser', cell: ({ userAgent }) => userAgent ?? 'unknown' },
  { id: 'address', name: 'From', cell: ({ ipAddress }) => ipAddress ?? 'unknown' },
  { id: 'used', name: 'Since', cell: ({ createdAt }) => <Ago at={createdAt} /> },
];
