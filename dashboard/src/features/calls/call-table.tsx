import type { ReactNode } from 'react';
import { DataTable } from '../../shared/ui/data-table.tsx';
import { callColumns, type CallColumnsView } from './call-columns.tsx';

interface CallTableProps extends CallColumnsView {
  readonly openId: string | undefined;
}

/** Calls, one line each. A click or Enter opens the details. */
export function CallTable({ openId, ...view }: CallTableProps): ReactNode {
  return (
    <DataTable
      name="Calls"
      oneLine
      columns={callColumns(view)}
      rows={view.entries}
      rowKey={({ id }) => id}
      onOpen={({ id }) => view.onOpen(id)}
      openKey={openId}
    />
  );
}
