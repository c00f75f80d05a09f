import { findDifference, type StatedDifference } from '../domain/pricing/stated-difference.ts';
import { DAY_MS } from '../domain/time/units.ts';
import type { UsageQueries } from './usage-queries.ts';

/** Days in which stated costs are compared with prices. */
const DAYS = 30;
/** Models with the highest cost that are looked at. */
const MODELS_MAX = 50;

/** Reads the sums of calls, and which providers have subscriptions. */
export interface StatedPriceParts {
  readonly reports: Pick<UsageQueries, 'models' | 'series'>;
  readonly providers: ReadonlyMap<string, { readonly subscription?: unknown }>;
}

/** Returns the models whose stated costs differ from prices on the newest day with calls. */
export async function readStatedDifferences(
  { reports, providers }: StatedPriceParts,
  workspaceId: string,
  now: number,
): Promise<StatedDifference[]> {
  const today = now - (now % DAY_MS);
  const range = { start: today - (DAYS - 1) * DAY_MS, end: now };
  const buckets = Array.from({ length: DAYS }, (_, day) => range.start + day * DAY_MS);
  // The cost of other calls differs from prices only where a subscription covers them.
  const used = (await reports.models(workspaceId, range))
    .filter(({ provider, totals }) => totals.contractedBeyondCost !== 0n && !providers.get(provider)?.subscription)
    .toSorted((a, b) => Number(b.totals.cost - a.totals.cost))
    .slice(0, MODELS_MAX);
  const found: StatedDifference[] = [];
  for (const { provider, model } of used) {
    if (model === null) continue;
    const rows = await reports.series(workspaceId, { range, buckets, by: null, filter: { provider, model } });
    const difference = findDifference(rows.toSorted((a, b) => a.bucket - b.bucket));
    if (difference) found.push({ provider, model, ...difference });
  }
  return found;
}
