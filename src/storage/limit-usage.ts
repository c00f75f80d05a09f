import { countedTotal } from '../domain/limits/counting.ts';
import { type CounterState, type Limit, VALUES_PER_LIMIT_MAX } from '../domain/limits/limit.ts';
import { compilePattern, restrictedSpellings } from '../domain/policy/model-pattern.ts';
import { addTotals, emptySum, type UsageTotals } from '../domain/usage/usage-totals.ts';
import type { Period } from '../domain/time/period.ts';
import { modelMatcher } from './backfill.ts';
import type { PricedAs } from './counter-store.ts';
import type { CountedTag, ObservedStore } from './observed-store.ts';
import type { SeriesFilter, SeriesQuery, UsageQueries } from './usage-queries.ts';

/** The limit whose usage is read; `value`: the one that a limit on each tag value counts, else ''. */
interface LimitUsageQuery extends Pick<SeriesQuery, 'range' | 'buckets' | 'entriesMax'> {
  readonly limit: Pick<Limit, 'workspaceId' | 'scope'>;
  readonly value: string;
}

/** Sums the calls in the scope of a limit by bucket. Buckets without a call are absent. */
export async function readLimitUsage(
  reports: Pick<UsageQueries, 'series'>,
  { limit: { workspaceId, scope }, value, ...query }: LimitUsageQuery,
): Promise<ReadonlyMap<number, UsageTotals>> {
  const by = scope.kind === 'model' ? ('model' as const) : null;
  const rows = await reports.series(workspaceId, { ...query, by, filter: toSeriesFilter(scope, value) });
  const matches = scope.kind === 'model' ? compilePattern(scope.pattern) : null;
  // By the answering model, which is close enough to the requested one.
  const counts = (model: string | null): boolean =>
    matches === null || restrictedSpellings(model ?? '', null).some(matches);
  const sums = new Map<number, ReturnType<typeof emptySum>>();
  for (const { bucket, value: model, totals } of rows) {
    if (!counts(model)) continue;
    const sum = sums.get(bucket) ?? emptySum();
    addTotals(sum, totals);
    sums.set(bucket, sum);
  }
  return sums;
}

/** Usage of observed calls that a limit counts, in its unit. */
export type ObservedAmount = Pick<CounterState, 'counted' | 'uncertain'>;

/**
 * Sums the observed calls of a window that a limit counts, by value; '' = the limit has one counter. Calls that have no
 * value of the tag are not counted, and of a limit on each value those with the highest cost. An uncertain cost counts with its maximum, unless the limit releases it.
 */
export async function readObservedAmounts(
  observed: Pick<ObservedStore, 'countedSums'>,
  { workspaceId, scope, unit, uncertain: rule }: Pick<Limit, 'workspaceId' | 'scope' | 'unit' | 'uncertain'>,
  { start, end }: Period,
  pricedAs: PricedAs,
): Promise<ReadonlyMap<string, ObservedAmount>> {
  const range = { start, end: Math.min(end, Number.MAX_SAFE_INTEGER) };
  const matches = scope.kind === 'model' ? modelMatcher(scope.pattern, pricedAs) : () => true;
  const amounts = new Map<string, { counted: number; uncertain: number }>();
  for (const { value, provider, model, totals } of await observed.countedSums(workspaceId, range, countedTag(scope))) {
    const isCounted = matches(provider, model) && (scope.kind !== 'provider' || scope.provider === provider);
    if (!isCounted) continue;
    const name = scope.kind === 'each_tag' ? value : '';
    const sum = amounts.get(name) ?? { counted: 0, uncertain: 0 };
    const most = countedTotal(unit, totals);
    const uncertain = most - countedTotal(unit, { ...totals, uncertainUpTo: 0n });
    sum.counted += rule === 'keep' ? most : most - uncertain;
    sum.uncertain += rule === 'keep' ? uncertain : 0;
    amounts.set(name, sum);
  }
  return amounts;
}

function countedTag(scope: Limit['scope']): CountedTag | null {
  if (scope.kind !== 'tag' && scope.kind !== 'each_tag') return null;
  return { key: scope.key, value: scope.kind === 'tag' ? scope.value : null, valuesMax: VALUES_PER_LIMIT_MAX };
}

function toSeriesFilter(scope: Limit['scope'], value: string): SeriesFilter {
  switch (scope.kind) {
    case 'key':
      return { keyId: scope.keyId };
    case 'provider':
      return { provider: scope.provider };
    case 'tag':
      return { tag: { key: scope.key, value: scope.value } };
    case 'each_tag':
      return { tag: { key: scope.key, value } };
    case 'workspace':
    case 'model':
    case 'each':
      return {};
  }
}
