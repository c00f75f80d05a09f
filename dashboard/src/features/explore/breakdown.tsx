import type { ReactNode } from 'react';
import { OTHER_VALUES } from '../../shared/chart/stack.ts';
import type { UsageFilter } from '../../shared/filter/usage-filter.ts';
import { type TableColumn, DataTable } from '../../shared/ui/data-table.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Count } from '../../shared/ui/values.tsx';
import { type BreakdownRow, breakdownRows } from '../../shared/usage/breakdown-rows.ts';
import { knownCost } from '../../shared/usage/cost-sum.ts';
import { dimensionTitle, filterFor, valueName } from '../../shared/usage/dimensions.ts';
import { useTotals } from '../../shared/usage/queries.ts';
import { SummedCost } from '../../shared/usage/summed-cost.tsx';
import { formatChange, formatPercent } from '../../../../src/domain/text/percent.ts';
import { shortCount } from '../../../../src/domain/text/counts.ts';
import { TablePlaceholder } from '../../shared/ui/placeholders.tsx';

interface BreakdownProps {
  readonly filter: UsageFilter;
  readonly dimension: string;
  readonly compare: boolean;
  readonly keyNames: ReadonlyMap<string, string>;
}

/** Usage by value of a dimension, most expensive first. Names link to the calls. */
export function Breakdown({ filter, dimension, compare, keyNames }: BreakdownProps): ReactNode {
  const totals = useTotals({ filter, dimension, compare });
  const name = (value: string | null): string => valueName(dimension, value, keyNames);
  return (
    <Loaded of={totals} placeholder={<TablePlaceholder rows={5} />}>
      {(answer) => (
        <DataTable
          name="Usage by value"
          columns={breakdownColumns({ filter, dimension, compare, name })}
          rows={breakdownRows(answer)}
          rowKey={({ value }) => value ?? ''}
          sort={{ column: 'cost', descending: true }}
        />
      )}
    </Loaded>
  );
}

interface BreakdownColumnsOptions {
  readonly filter: UsageFilter;
  readonly dimension: string;
  readonly compare: boolean;
  readonly name: (value: string | null) => string;
}

function breakdownColumns({
  filter,
  dimension,
  compare,
  name,
}: BreakdownColumnsOptions): readonly TableColumn<BreakdownRow>[] {
  return [
    {
      id: 'value',
      name: dimensionTitle(dimension),
      sortBy: ({ value }) => name(value),
      cell: ({ value }) => <ValueLink value={value} name={name(value)} filter={filter} dimension={dimension} />,
    },
    { id: 'cost', name: 'Cost', figures: true, sortBy: knownCost, cell: (row) => <SummedCost {...row} /> },
    {
      id: 'share',
      name: 'Share',
      figures: true,
      wideOnly: true,
      cell: (row) => (knownCost(row) === null ? <span className="soft">–</span> : formatPercent(row.share)),
    },
    ...(compare ? [previousColumn] : []),
    {
      id: 'calls',
      name: 'Calls',
      figures: true,
      sortBy: ({ calls }) => calls,
      cell: ({ calls }) => <Count of={calls} />,
    },
    {
      id: 'tokens',
      name: 'Tokens',
      figures: true,
      wideOnly: true,
      sortBy: ({ tokens }) => tokens,
      cell: ({ tokens }) => <Count of={tokens} unit="tokens" />,
    },
    {
      id: 'failed',
      name: 'Failed',
      figures: true,
      wideOnly: true,
      sortBy: ({ failedCalls }) => failedCalls,
      cell: ({ failedCalls }) => (failedCalls === 0 ? <span className="soft">–</span> : <Count of={failedCalls} />),
    },
    {
      id: 'uncertain',
      name: 'Uncertain',
      figures: true,
      wideOnly: true,
      sortBy: ({ uncertainCalls }) => uncertainCalls,
      cell: ({ value, uncertainCalls }) =>
        uncertainCalls === 0 ? (
          <span className="soft">–</span>
        ) : (
          <ValueLink value={value} name={shortCount(uncertainCalls)} only="uncertain" {...{ filter, dimension }} />
        ),
    },
  ];
}

const previousColumn: TableColumn<BreakdownRow> = {
  id: 'before',
  name: 'Previous period',
  figures: true,
  sortBy: ({ before }) => before && knownCost(before),
  cell: (row) => {
    const before = row.before ?? { cost: 0 };
    return (
      <>
        <SummedCost {...before} /> <span className="soft beneath">{changeText(knownCost(row), knownCost(before))}</span>
      </>
    );
  },
};

/** Returns '' when one of the two amounts is unknown. */
function changeText(now: number | null, before: number | null): string {
  return now === null || before === null ? '' : (formatChange(now, before) ?? 'new');
}

interface ValueLinkProps {
  readonly value: string | null;
  readonly name: string;
  readonly filter: UsageFilter;
  readonly dimension: string;
  /** Only calls with uncertain cost; absent = all calls. */
  readonly only?: 'uncertain';
}

/** Links to the calls of one value, or to the page of a session. "All others" has no link. */
function ValueLink({ value, name, filter, dimension, only }: ValueLinkProps): ReactNode {
  if (value === null || value === OTHER_VALUES) return <span className="soft">{name}</span>;
  if (dimension === 'session' && only === undefined)
    return (
      <PageLink to="/session" search={{ name: value }}>
        {name}
      </PageLink>
    );
  return (
    <PageLink to="/calls" search={{ ...filter, ...filterFor(dimension, value), only }}>
      {name}
    </PageLink>
  );
}
