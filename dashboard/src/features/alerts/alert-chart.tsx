import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AlertShape } from '../../../../src/contract/alerts.ts';
import type { LimitStanding } from '../../../../src/contract/limits.ts';
import type { UsageSeries } from '../../../../src/contract/usage.ts';
import { DAY_MS, HOUR_MS } from '../../../../src/domain/time/units.ts';
import { useRead } from '../../shared/api/use-api.ts';
import type { ChartMark } from '../../shared/chart/chart-actions.ts';
import { readAmount, type UsageMeasure } from '../../shared/chart/stack.ts';
import { type UsageFilter, useUsageQuery } from '../../shared/filter/usage-filter.ts';
import { hasChart, LimitChart } from '../../shared/limits/limit-chart.tsx';
import { LimitMeter } from '../../shared/limits/limit-amount.tsx';
import { useLimit, useLimits } from '../../shared/limits/use-limits.ts';
import { useKeyNames } from '../../shared/names/queries.ts';
import { choiceBetween } from '../../shared/time/period.ts';
import { Card } from '../../shared/ui/card.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { ChartPlaceholder } from '../../shared/ui/placeholders.tsx';
import { dimensionQuery } from '../../shared/usage/dimensions.ts';
import { UsageChart } from '../../shared/usage/usage-chart.tsx';
import { readMovers } from './movers.tsx';
import { alertFilter, TYPES_ABOUT_CALLS } from './related-pages.ts';
import { SpikeCauses } from './spike-causes.tsx';
import { usualBand } from './usual-band.ts';

/** The time of an alert: usage around a spike, or the window of a limit. Nothing for alerts about something else. */
export function AlertChart({ alert }: { readonly alert: AlertShape }): ReactNode {
  const { type, period, scope } = alert;
  if (scope['limit'] !== undefined) return <LimitWindow alert={alert} limitId={scope['limit']} />;
  return period && period.end !== null && TYPES_ABOUT_CALLS.has(type) ? (
    <SpikeCard alert={alert} start={period.start} end={period.end} />
  ) : null;
}

/** The window of the limit in which the alert was raised. */
function LimitWindow({ alert, limitId }: { readonly alert: AlertShape; readonly limitId: string }): ReactNode {
  const { data } = useLimits();
  const limit = data?.limits.find(({ id }) => id === limitId);
  if (!limit) return null;
  if (!hasChart(limit)) return <ValueUse limit={limit} value={alert.scope['value']} />;
  return (
    <Card title="Use of the limit">
      <LimitChart limit={limit} value={alert.scope['value']} at={alert.createdAt} />
    </Card>
  );
}

interface ValueUseProps {
  readonly limit: LimitStanding;
  /** Session, agent or run; undefined = the limit has one amount. */
  readonly value: string | undefined;
}

/** Use of a limit that has no chart, or of one of its values. Nothing if the value is not among the fullest. */
function ValueUse({ limit: { id, unit }, value }: ValueUseProps): ReactNode {
  const { data } = useLimit(id);
  const standing = value === undefined ? data : data?.values?.find((each) => each.value === value);
  if (!standing) return null;
  return (
    <Card title="Use of the limit">
      <LimitMeter of={standing} unit={unit} />
    </Card>
  );
}

/** Shown before and after a spike. */
const BEFORE_MS = DAY_MS;
const AFTER_MS = 12 * HOUR_MS;
/** History for the usual amounts. */
const HISTORY_MS = 28 * DAY_MS;

interface SpikeCardProps {
  readonly alert: AlertShape;
  readonly start: string;
  readonly end: string;
}

/** Hours around a spike, split by what moved, in front of what is usual at those hours. */
function SpikeCard({ alert, start, end }: SpikeCardProps): ReactNode {
  const { shown, history, filter, dimension } = useSpike(alert, start, end);
  const measure = spikeMeasure(alert);
  const keyNames = useKeyNames();
  const navigate = useNavigate();
  return (
    <>
      <Card title={measure === 'cost' ? 'Cost by hour' : 'Calls by hour'}>
        <Loaded of={shown} placeholder={<ChartPlaceholder />}>
          {(series) => (
            <UsageChart
              {...{ series, filter, dimension, measure, keyNames }}
              band={usualBand(
                hourAmounts(history.data, measure),
                series.starts.map((at) => Date.parse(at)),
              )}
              marks={spikeMarks(series.starts, start, end)}
              onChange={(changes) =>
                void navigate({ to: '/explore', search: { ...filter, by: dimension, ...changes } })
              }
            />
          )}
        </Loaded>
      </Card>
      {alert.type !== 'ERROR_SPIKE' && <SpikeCauses {...{ alert, start, end }} history={history.data} />}
    </>
  );
}

/** Reads the hours around a spike, and the weeks before it. */
function useSpike(alert: AlertShape, start: string, end: string) {
  const [first, last] = [hourBegin(Date.parse(start)), hourBegin(Date.parse(end))];
  const [from, until] = [first - BEFORE_MS, last + AFTER_MS].map((at) => new Date(at).toISOString()) as [
    string,
    string,
  ];
  // Provider reports know usage by day, which would stand at midnight.
  const filter: UsageFilter = {
    ...alertFilter(alert.scope),
    notSource: 'provider_report',
    ...choiceBetween(from, until, 'UTC'),
  };
  const dimension = spikeDimension(alert);
  const usage = useUsageQuery(filter);
  const shown = useRead('GET /api/mcp/usage/series', {
    query: { ...usage, ...dimensionQuery(dimension), step: 'hour', limit: LAYERS_MAX },
  });
  const history = useRead('GET /api/mcp/usage/series', {
    query: { ...usage, startDate: new Date(first - HISTORY_MS).toISOString(), endDate: from, step: 'hour' },
  });
  return { shown, history, filter, dimension };
}

const LAYERS_MAX = 7;

function hourBegin(at: number): number {
  return Math.floor(at / HOUR_MS) * HOUR_MS;
}

/** Splits by what moved most, as far as the alert says. */
function spikeDimension({ type, scope, evidence }: Pick<AlertShape, 'type' | 'scope' | 'evidence'>): string {
  if (type === 'ERROR_SPIKE') return 'status';
  const moved = Object.keys(readMovers(evidence)[0]?.scope ?? {}).at(-1);
  return moved ?? (scope['model'] === undefined ? 'model' : 'key');
}

function spikeMeasure({ type, evidence: { unit } }: AlertShape): UsageMeasure {
  return type === 'ERROR_SPIKE' || unit === 'calls' ? 'calls' : 'cost';
}

function hourAmounts(series: UsageSeries | undefined, measure: UsageMeasure) {
  const amounts = new Map(series?.points.map((point) => [point.start, readAmount(point, measure)]));
  return (series?.starts ?? []).map((start) => ({ at: Date.parse(start), amount: amounts.get(start) ?? 0 }));
}

function spikeMarks(starts: readonly string[], start: string, end: string): readonly ChartMark[] {
  return starts
    .filter((at) => at >= start && at < end)
    .map((at) => ({ at, text: 'Reported by this alert', tone: 'bad' as const }));
}
