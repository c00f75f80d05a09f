import type { ReactNode } from 'react';
import type { LimitStanding, ValueStanding } from '../../../../src/contract/limits.ts';
import { type TableColumn, DataTable } from '../../shared/ui/data-table.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { Ago } from '../../shared/ui/values.tsx';
import { Amount, LimitMeter } from './limit-amount.tsx';
import { readEachValue } from '../../../../src/domain/limits/each-value.ts';
import { describeValue, takenShare } from '../../../../src/domain/text/limits.ts';

interface ValueTableProps {
  readonly limit: LimitStanding;
  readonly values: readonly ValueStanding[];
}

/** Counters of a limit that counts each value separately. */
export function ValueTable({ limit, values }: ValueTableProps): ReactNode {
  if (values.length === 0) return <p className="soft">No calls in this window yet.</p>;
  return (
    <>
      <DataTable name="Values" columns={valueColumns(limit)} rows={values} rowKey={({ value }) => value} />
      {limit.hasMoreValues && <p className="soft">Showing the values with the highest use.</p>}
    </>
  );
}

function Value({ limit, value }: { readonly limit: LimitStanding; readonly value: string }): ReactNode {
  const { scope } = limit;
  if (scope.kind !== 'each') return value;
  const { session } = readEachValue(scope.of, value);
  const name = describeValue(limit, value);
  if (session === null) return name;
  return (
    <PageLink to="/session" search={{ name: session }}>
      {name}
    </PageLink>
  );
}

function valueColumns(limit: LimitStanding): readonly TableColumn<ValueStanding>[] {
  const { unit } = limit;
  return [
    {
      id: 'value',
      name: 'Value',
      sortBy: ({ value }) => value,
      cell: ({ value }) => <Value limit={limit} value={value} />,
    },
    { id: 'used', name: 'Used', sortBy: takenShare, cell: (each) => <LimitMeter of={each} unit={unit} /> },
    {
      id: 'left',
      name: 'Left',
      figures: true,
      sortBy: ({ remaining }) => remaining,
      cell: ({ remaining }) => <Amount unit={unit} of={remaining} rounding="down" />,
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
