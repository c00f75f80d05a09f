import type { Limit } from '../domain/limits/limit.ts';
import { compilePattern, restrictedSpellings } from '../domain/policy/model-pattern.ts';
import { addTotals, emptySum, type UsageTotals } from '../domain/usage/usage-totals.ts';
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
