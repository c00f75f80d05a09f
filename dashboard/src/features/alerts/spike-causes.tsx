import { type ReactNode, useState } from 'react';
import type { AlertShape } from '../../../../src/contract/alerts.ts';
import type { UsageSeries } from '../../../../src/contract/usage.ts';
import { callsText } from '../../../../src/domain/text/counts.ts';
import { formatPercent } from '../../../../src/domain/text/percent.ts';
import { CallsLink } from '../../shared/chart/column-tooltip.tsx';
import { OTHER_VALUES } from '../../shared/chart/stack.ts';
import type { UsageFilter } from '../../shared/filter/usage-filter.ts';
import { useKeyNames } from '../../shared/names/queries.ts';
import { choiceBetween } from '../../shared/time/period.ts';
import { Card } from '../../shared/ui/card.tsx';
import { DataTable, type TableColumn } from '../../shared/ui/data-table.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { TablePlaceholder } from '../../shared/ui/placeholders.tsx';
import { Count, Money } from '../../shared/ui/values.tsx';
import { type BreakdownRow, breakdownRows, totalRow } from '../../shared/usage/breakdown-rows.ts';
import { DimensionSelect } from '../../shared/usage/dimension-select.tsx';
import { dimensionTitle, filterFor, valueName } from '../../shared/usage/dimensions.ts';
import { SummedCost } from '../../shared/usage/summed-cost.tsx';
import { useTotals } from '../../shared/usage/queries.ts';
import { alertFilter } from './related-pages.ts';
import { usualCall } from './usual-call.ts';

interface SpikeCausesProps {
  readonly alert: AlertShape;
  readonly start: string;
  readonly end: string;
  /** The weeks before, by hour. */
  readonly history: UsageSeries | undefined;
}

/** Why the time cost more: more calls or more expensive ones, and what made them. */
export function SpikeCauses({ alert, start, end, history }: SpikeCausesProps): ReactNode {
  const [dimension, setDimension] = useState('session');
  const filter: UsageFilter = { ...alertFilter(alert.scope), ...choiceBetween(start, end, 'UTC') };
  const totals = useTotals({ filter, dimension, compare: false });
  const keyNames = useKeyNames();
  return (
    <Card title="What drove it" aside={<DimensionSelect dimension={dimension} onChange={setDimension} />}>
      <Loaded of={totals} placeholder={<TablePlaceholder rows={3} />}>
        {(answer) => (
          <>
            <CallCosts total={totalRow(answer)} usual={usualCall(history, start, end)} />
            <DataTable
              name="Usage of that time"
              columns={causeColumns(dimension, filter, keyNames)}
              rows={breakdownRows(answer)
                .toSorted((a, b) => b.cost - a.cost)
                .slice(0, ROWS_MAX)}
              rowKey={({ value }) => value ?? ''}
            />
          </>
        )}
      </Loaded>
    </Card>
  );
}

const ROWS_MAX = 8;

interface CallCostsProps {
  readonly total: BreakdownRow;
  readonly usual: { readonly calls: number; readonly cost: number | null } | null;
}

/** The number of calls, and the cost of one, against what is usual. */
function CallCosts({ total, usual }: CallCostsProps): ReactNode {
  if (total.calls === 0) return null;
  return (
    <p>
      {callsText(total.calls)}
      {usual && `, usually ${Math.round(usual.calls)}`}. <Money usd={total.cost / total.calls} /> a call
      {usual && usual.cost !== null && (
        <>
          , usually <Money usd={usual.cost} />
        </>
      )}
      .
    </p>
  );
}

function causeColumns(
  dimension: string,
  filter: UsageFilter,
  keyNames: ReadonlyMap<string, string>,
): readonly TableColumn<BreakdownRow>[] {
  const name = ({ value }: BreakdownRow): string => valueName(dimension, value, keyNames);
  return [
    {
      id: 'value',
      name: dimensionTitle(dimension),
      cell: (row) =>
        dimension === 'session' && row.value !== null && row.value !== OTHER_VALUES ? (
          <PageLink to="/session" search={{ name: row.value }}>
            {name(row)}
          </PageLink>
        ) : (
          name(row)
        ),
    },
    { id: 'calls', name: 'Calls', figures: true, cell: ({ calls }) => <Count of={calls} /> },
    { id: 'cost', name: 'Cost', figures: true, cell: (row) => <SummedCost {...row} /> },
    { id: 'share', name: 'Share', figures: true, wideOnly: true, cell: ({ share }) => formatPercent(share) },
    {
      id: 'open',
      name: '',
      figures: true,
      cell: (row) => <CallsLink link={causeCalls(row, dimension, filter)} of={name(row)} />,
    },
  ];
}

function causeCalls({ value }: BreakdownRow, dimension: string, filter: UsageFilter) {
  const chosen = value === null || value === OTHER_VALUES ? null : filterFor(dimension, value, filter);
  return chosen && { to: '/calls', search: { ...filter, ...chosen } };
}
