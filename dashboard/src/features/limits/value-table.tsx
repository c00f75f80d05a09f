import type { ReactNode } from 'react';
import type { LimitStanding, ValueStanding } from '../../../../src/contract/limits.ts';
import { type LimitUnit } from '../../shared/limits/limit-text.ts';
import { type TableColumn, DataTable } from '../../shared/ui/data-table.tsx';
import { Ago } from '../../shared/ui/values.tsx';
import { Amount, LimitMeter } from './limit-amount.tsx';
import { takenShare } from '../../../../src/domain/text/limits.ts';

interface ValueTableProps {
  readonly limit: LimitStanding;
  readonly values: readonly ValueStanding[];
}

/** Counters of a limit that counts each value separately. */
export function ValueTable({ limit, values }: ValueTableProps): ReactNode {
  if (values.length === 0) return <p className="soft">No calls in this window yet.</p>;
  return (
    <>
      <DataTable name="Values" columns={valueColumns(limit.unit)} rows={values} rowKey={({ value }) => value} />
      {limit.hasMoreValues && <p className="soft">Showing the values with the highest use.</p>}
    </>
  );
}

function valueColumns(unit: LimitUnit): readonly TableColumn<ValueStanding>[] {
  return [
    { id: 'value', name: 'Value', sortBy: ({ value }) => value, cell: ({ value }) => value },
    { id: 'used', name: 'Used', sortBy: takenShare, cell: (each) => <LimitMeter of={each} unit={unit} /> },
    {
      id: 'left',
      name: 'Left',
      figures: true,
      sortBy: ({ remaining }) => remaining,
      cell: ({ remaining }) => <Amount unit={unit} of={remaining} />,
    },
    {
      id: 'counted',
      name: 'Used (amount)',
      figures: true,
      wideOnly: true,
      sortBy: ({ counted }) => counted,
      cell: ({ counted }) => <Amount unit={unit} of={counted} />,
    },
    {
      id: 'held',
      name: 'Reserved',
      figures: true,
      wideOnly: true,
      cell: ({ held }) => <Amount unit={unit} of={held} />,
    },
    {
      id: 'resets',
      name: 'Resets',
      figures: true,
      wideOnly: true,
      cell: ({ resetsAt }) => (resetsAt === null ? 'Never' : <Ago at={resetsAt} />),
    },
  ];
}
