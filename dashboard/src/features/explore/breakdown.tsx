import type { ReactNode } from 'react';
import { formatPercent } from '../../../../src/domain/text/percent.ts';
import { ChangeMark } from '../../shared/chart/change-mark.tsx';
import type { ChartLink } from '../../shared/chart/chart-actions.ts';
import { Swatch, ValueButton } from '../../shared/chart/chart-legend.tsx';
import { CallsLink } from '../../shared/chart/column-tooltip.tsx';
import { seriesColors } from '../../shared/chart/series-colors.ts';
import { OTHER_VALUES } from '../../shared/chart/stack.ts';
import type { AddressChanges } from '../../shared/filter/address.ts';
import type { UsageFilter } from '../../shared/filter/usage-filter.ts';
import { type TableColumn, DataTable } from '../../shared/ui/data-table.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { TablePlaceholder } from '../../shared/ui/placeholders.tsx';
import { Count } from '../../shared/ui/values.tsx';
import { breakdownRows, type BreakdownRow, totalRow } from '../../shared/usage/breakdown-rows.ts';
import { knownCost } from '../../shared/usage/cost-sum.ts';
import { dimensionTitle, filterFor, filterOut, valueName } from '../../shared/usage/dimensions.ts';
import { useTotals } from '../../shared/usage/queries.ts';
import { SummedCost } from '../../shared/usage/summed-cost.tsx';
import styles from './breakdown.module.css';

interface BreakdownProps {
  readonly filter: UsageFilter;
  readonly dimension: string;
  readonly compare: boolean;
  readonly keyNames: ReadonlyMap<string, string>;
  /** Values with a color in the chart. */
  readonly charted: readonly (string | null)[];
  readonly onChange: (changes: AddressChanges) => void;
}

const TOTAL = 'Total';

/** Usage by value of a dimension, most expensive first. A click on a name filters by it. */
export function Breakdown(props: BreakdownProps): ReactNode {
  const { filter, dimension, compare } = props;
  const totals = useTotals({ filter, dimension, compare });
  return (
    <Loaded of={totals} placeholder={<TablePlaceholder rows={5} />}>
      {(answer) => {
        const rows = breakdownRows(answer);
        return (
          <DataTable
            name="Usage by value"
            columns={breakdownColumns(props)}
            rows={rows.filter(({ value }) => value !== OTHER_VALUES)}
            rowKey={({ value, isTotal }) => (isTotal ? TOTAL : `value ${value ?? ''}`)}
            sort={{ column: 'cost', descending: true }}
            bar={knownCost}
            foot={[...rows.filter(({ value }) => value === OTHER_VALUES), totalRow(answer)]}
          />
        );
      }}
    </Loaded>
  );
}

function breakdownColumns(props: BreakdownProps): readonly TableColumn<BreakdownRow>[] {
  const { dimension, compare, keyNames } = props;
  const colors = new Map(seriesColors(props.charted).map((color, index) => [props.charted[index], color]));
  const name = ({ value, isTotal }: BreakdownRow): string => (isTotal ? TOTAL : valueName(dimension, value, keyNames));
  return [
    {
      id: 'value',
      name: dimensionTitle(dimension),
      sortBy: name,
      cell: (row) => (
        <ValueCell
          name={name(row)}
          color={row.isTotal ? undefined : colors.get(row.value)}
          pick={pickRow(row, props)}
        />
      ),
    },
    { id: 'cost', name: 'Cost', figures: true, sortBy: knownCost, cell: (row) => <CostCell row={row} /> },
    {
      id: 'share',
      name: 'Share',
      figures: true,
      wideOnly: true,
      cell: (row) => (knownCost(row) === null ? <span className="soft">–</span> : formatPercent(row.share)),
    },
    ...(compare ? [PREVIOUS, CHANGE] : []),
    ...COUNTS,
    {
      id: 'uncertain',
      name: 'Uncertain',
      figures: true,
      wideOnly: true,
      sortBy: ({ uncertainCalls }) => uncertainCalls,
      cell: (row) => <NoneOr count={row.uncertainCalls} link={rowCalls(row, props, 'uncertain')} />,
    },
    {
      id: 'open',
      name: '',
      figures: true,
      cell: (row) => (
        <span className={styles.actions}>
          <LeaveOut row={row} name={name(row)} props={props} />
          <CallsLink link={rowCalls(row, props)} of={name(row)} />
        </span>
      ),
    },
  ];
}

function countColumn(id: 'calls' | 'tokens', name: string): TableColumn<BreakdownRow> {
  return {
    id,
    name,
    figures: true,
    wideOnly: id === 'tokens',
    sortBy: (row) => row[id],
    cell: (row) => <Count of={row[id]} unit={id} />,
  };
}

const COUNTS: readonly TableColumn<BreakdownRow>[] = [
  countColumn('calls', 'Calls'),
  countColumn('tokens', 'Tokens'),
  {
    id: 'failed',
    name: 'Failed',
    figures: true,
    wideOnly: true,
    sortBy: ({ failedCalls }) => failedCalls,
    cell: ({ failedCalls }) => <NoneOr count={failedCalls} />,
  },
];

const PREVIOUS: TableColumn<BreakdownRow> = {
  id: 'before',
  name: 'Previous period',
  figures: true,
  wideOnly: true,
  sortBy: ({ before }) => before && knownCost(before),
  cell: ({ before }) => <SummedCost {...(before ?? { cost: 0 })} />,
};

const CHANGE: TableColumn<BreakdownRow> = {
  id: 'change',
  name: 'Change',
  figures: true,
  wideOnly: true,
  sortBy: (row) => row.cost - (row.before?.cost ?? 0),
  cell: (row) => <Change row={row} />,
};

/** Empty when one of the two amounts is unknown. */
function Change({ row }: { readonly row: BreakdownRow }): ReactNode {
  const [now, before] = [knownCost(row), row.before && knownCost(row.before)];
  return now === null || before === null ? null : <ChangeMark now={now} before={before} />;
}

/** On a phone the change is under the cost. */
function CostCell({ row }: { readonly row: BreakdownRow }): ReactNode {
  return (
    <>
      <SummedCost {...row} />
      {row.before && (
        <span className="beneath narrow">
          <Change row={row} />
        </span>
      )}
    </>
  );
}

interface ValueCellProps {
  readonly name: string;
  readonly color: string | undefined;
  readonly pick: (() => void) | null;
}

function ValueCell({ name, color, pick }: ValueCellProps): ReactNode {
  return (
    <span className="named">
      {color !== undefined && <Swatch color={color} />} <ValueButton name={name} pick={pick} />
    </span>
  );
}

function NoneOr({ count, link = null }: { readonly count: number; readonly link?: ChartLink | null }): ReactNode {
  if (count === 0) return <span className="soft">–</span>;
  return (
    <>
      <Count of={count} /> {link && <CallsLink link={link} of="uncertain cost" />}
    </>
  );
}

/** Returns the action of a click on a row; null for the total, all others, and usage without a value. */
function pickRow({ value, isTotal }: BreakdownRow, props: BreakdownProps): (() => void) | null {
  const { filter, dimension, onChange } = props;
  if (isTotal || value === null || value === OTHER_VALUES) return null;
  const chosen = filterFor(dimension, value, filter);
  return chosen && (() => onChange(chosen));
}

interface LeaveOutProps {
  readonly row: BreakdownRow;
  readonly name: string;
  readonly props: BreakdownProps;
}

/** A button that filters a value out. */
function LeaveOut({ row: { value, isTotal }, name, props: { filter, dimension, onChange } }: LeaveOutProps): ReactNode {
  if (isTotal || value === null || value === OTHER_VALUES) return null;
  const changes = filterOut(dimension, value, filter);
  if (changes === null) return null;
  const title = `Leave out ${name}`;
  return (
    <button
      type="button"
      className={styles.leaveOut}
      title={title}
      aria-label={title}
      onClick={() => onChange(changes)}
    >
      <Icon name="close" size={14} />
    </button>
  );
}

/** Returns the link to the calls of a row, or to the page of a session. */
function rowCalls(
  { value, isTotal }: BreakdownRow,
  { filter, dimension }: BreakdownProps,
  only?: 'uncertain',
): ChartLink | null {
  if (isTotal) return { to: '/calls', search: { ...filter, only } };
  if (value === null || value === OTHER_VALUES) return null;
  if (dimension === 'session' && only === undefined) return { to: '/session', search: { name: value } };
  const chosen = filterFor(dimension, value, filter);
  return chosen && { to: '/calls', search: { ...filter, ...chosen, only } };
}
