import type { ReactNode } from 'react';
import type { LimitStanding, ValueStanding } from '../../../../src/contract/limits.ts';
import { LimitValue } from '../../shared/limits/limit-value.tsx';
import { type TableColumn, DataTable } from '../../shared/ui/data-table.tsx';
import { Ago } from '../../shared/ui/values.tsx';
import { limitValueName } from '../../shared/limits/limit-text.ts';
import { Amount, AmountLeft, LimitMeter } from '../../shared/limits/limit-amount.tsx';
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
      <DataTable
        name="Values"
        columns={valueColumns(limit).filter(({ id }) => id !== 'resets' || limit.resetsAt !== null)}
        rows={values}
        rowKey={({ value }) => value}
      />
      {limit.hasMoreValues && <p className="soft">Showing the values with the highest use.</p>}
    </>
  );
}

function valueColumns(limit: LimitStanding): readonly TableColumn<ValueStanding>[] {
  const { unit } = limit;
  return [
    {
      id: 'value',
      name: limitValueName(limit.scope),
      sortBy: ({ value }) => value,
      cell: ({ value }) => <LimitValue scope={limit.scope} value={value} />,
    },
    { id: 'used', name: 'Used', sortBy: takenShare, cell: (each) => <LimitMeter of={each} unit={unit} /> },
    {
      id: 'left',
      name: 'Left',
      figures: true,
      sortBy: ({ remaining }) => remaining,
      cell: ({ remaining }) => <AmountLeft unit={unit} of={remaining} />,
    },
    {
      id: 'counted',
      name: 'Amount',
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
