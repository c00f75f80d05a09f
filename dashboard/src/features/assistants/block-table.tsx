import type { ReactNode } from 'react';
import type { AssistantUsage } from '../../../../src/contract/assistants.ts';
import { formatSpan } from '../../../../src/domain/text/dates.ts';
import { USAGE_COLUMNS } from '../../shared/assistants/usage-columns.tsx';
import { isolated } from '../../shared/format/isolated.ts';
import { assistantName } from '../../shared/names/display-names.ts';
import { useZone } from '../../shared/time/clock.ts';
import { DataTable, type TableColumn } from '../../shared/ui/data-table.tsx';
import { StateBadge } from '../../shared/ui/values.tsx';

type BlockRow = AssistantUsage['blocks'][number];

/** Five hours of an assistant and a person from their first use on, as plans with session windows count. */
export function BlockTable({ blocks }: { readonly blocks: readonly BlockRow[] }): ReactNode {
  return (
    <DataTable
      name="Blocks of five hours"
      columns={[...blockColumns, ...USAGE_COLUMNS.filter(({ id }) => id === 'calls' || id === 'cost')]}
      rows={blocks}
      rowKey={({ assistant, person, start }) => JSON.stringify([assistant, person.value, start])}
    />
  );
}

const blockColumns: readonly TableColumn<BlockRow>[] = [
  { id: 'time', name: 'Time', cell: (row) => <BlockTime row={row} /> },
  {
    id: 'person',
    name: 'Person',
    sortBy: ({ person }) => person.name,
    cell: ({ person, assistant }) => (
      <>
        {isolated(person.name)}
        <span className="soft beneath">{assistantName(assistant)}</span>
      </>
    ),
  },
];

function BlockTime({ row }: { readonly row: BlockRow }): ReactNode {
  const zone = useZone();
  return (
    <>
      {formatSpan(row.start, row.end, zone)} {row.isOpen && <StateBadge color="teal">Current</StateBadge>}
    </>
  );
}
