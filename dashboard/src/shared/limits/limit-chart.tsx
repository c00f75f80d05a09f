import type { ReactNode } from 'react';
import type { LimitHistory, LimitStanding } from '../../../../src/contract/limits.ts';
import type { RefusalShape } from '../../../../src/contract/refusals.ts';
import { callsText, shortCount } from '../../../../src/domain/text/counts.ts';
import { describeShownAmount } from '../../../../src/domain/text/limits.ts';
import { shortDollars } from '../../../../src/domain/text/money.ts';
import { useAlertMarks } from '../alerts/alert-marks.ts';
import { useRead } from '../api/use-api.ts';
import type { ChartMark } from '../chart/chart-actions.ts';
import { RunningChart } from '../chart/running-chart.tsx';
import { sum } from '../chart/stack.ts';
import { useRefusals } from '../refusals/queries.ts';
import { stepEnd } from '../time/period.ts';
import { ChartPlaceholder } from '../ui/placeholders.tsx';
import { Loaded } from '../ui/loaded.tsx';

interface LimitChartProps {
  readonly limit: LimitStanding;
  /** The value whose use is shown, of a limit on each value of a tag. */
  readonly value?: string | undefined;
  /** An instant in the window, ISO 8601; absent = now. */
  readonly at?: string;
}

/** Limits whose use adds up over a window of more than one column. */
export function hasChart({ unit, window, scope }: Pick<LimitStanding, 'unit' | 'window' | 'scope'>): boolean {
  return unit !== 'concurrency' && window !== 'minute' && scope.kind !== 'each';
}

/** Use of a limit since its window began, with its amount, the forecast, refusals and alerts. */
export function LimitChart({ limit, value, at }: LimitChartProps): ReactNode {
  const history = useRead('GET /api/manage/limits/{id}/history', {
    params: { id: limit.id },
    query: { at, value },
    changedBy: ['recorded', 'limit'],
  });
  return (
    <Loaded of={history} placeholder={<ChartPlaceholder />}>
      {(shown) => <HistoryChart limit={limit} value={value} history={shown} isPast={isPast(shown)} />}
    </Loaded>
  );
}

/** Tests whether the window is over: its last column has begun and ended. */
function isPast({ period: { end } }: LimitHistory): boolean {
  return end !== null && Date.parse(end) <= Date.now();
}

interface HistoryChartProps extends LimitChartProps {
  readonly history: LimitHistory;
  readonly isPast: boolean;
}

function HistoryChart({ limit, value, history, isPast: isOver }: HistoryChartProps): ReactNode {
  const { id, unit, effectiveAmount } = limit;
  const { period, starts, step, timeZone, counted } = history;
  const end = period.end ?? stepEnd(starts.at(-1) ?? period.start, step, timeZone);
  const refused = useRefusals({ limitId: id, startDate: period.start, endDate: end, limit: REFUSALS_READ });
  const alerts = useAlertMarks(
    ({ scope }) => scope['limit'] === id && (value === undefined || scope['value'] === value),
  );
  const counter = limit.values?.find((each) => each.value === value) ?? limit;
  const refusals = refused.data?.refusals.filter((one) => value === undefined || one.value === value) ?? [];
  const { projected } = counter;
  return (
    <RunningChart
      name="Used in this window"
      {...{ starts, end, step }}
      zone={timeZone}
      amounts={counted}
      // What a limit that never resets counted earlier is in no column.
      before={period.end === null ? Math.max(0, counter.counted - sum(counted)) : 0}
      forecast={isOver || projected === null ? null : { low: projected, middle: projected, high: projected }}
      line={{ amount: effectiveAmount, name: `Limit ${describeShownAmount(unit, effectiveAmount)}` }}
      marks={[...refusalMarks(refusals, [...starts, end]), ...alerts]}
      format={unit === 'usd' ? shortDollars : shortCount}
    />
  );
}

/** Refused calls that are read to mark the columns in which they were. */
const REFUSALS_READ = 200;

/** Marks each column with its number of refused calls. @param bounds starts of the columns and the end of the last */
export function refusalMarks(
  refusals: readonly Pick<RefusalShape, 'at' | 'calls'>[],
  bounds: readonly string[],
): readonly ChartMark[] {
  const times = bounds.map((at) => Date.parse(at));
  const columns = Map.groupBy(refusals, ({ at }) => times.findLastIndex((start) => start <= Date.parse(at)));
  return [...columns].flatMap(([column, those]) => {
    const at = bounds[column];
    if (at === undefined || column === bounds.length - 1) return [];
    return [{ at, text: `${callsText(sum(those.map(({ calls }) => calls)))} refused`, tone: 'bad' as const }];
  });
}
