import { EMPTY_TOTALS, type UsageTotals } from '../../domain/usage/usage-totals.ts';
import type { Period } from '../../domain/time/period.ts';
import type { KeyRecords } from '../../storage/records/keys.ts';
import type { SessionSum } from '../../storage/session-store.ts';
import type { UsageQueries } from '../../storage/usage-queries.ts';

/** Usage of a model at list price. */
export type ModelSum = Pick<SessionSum, 'provider' | 'model' | 'totals'>;

/**
 * Sums calls through the gateway that a client's own subscription covered, at list price. They cost nothing in the
 * ledger, so their list price is all that limits count beyond their cost.
 */
export async function subscriptionCalls(
  keys: Pick<KeyRecords, 'list'>,
  reports: Pick<UsageQueries, 'series'>,
  workspaceId: string,
  range: Period,
): Promise<ModelSum[]> {
  const sums: ModelSum[] = [];
  for (const { id: keyId, credential, provider } of await keys.list(workspaceId)) {
    if (credential !== 'subscription') continue;
    const query = { range, buckets: [range.start], by: 'model', filter: { keyId } } as const;
    for (const { value: model, totals } of await reports.series(workspaceId, query))
      if (model !== null && totals.calls > 0) sums.push({ provider, model, totals: atListPrice(totals) });
  }
  return sums;
}

/** Returns the totals of calls that a subscription covered, with their list price as the cost. */
export function atListPrice({ unpricedUpTo: cost, calls, ...totals }: UsageTotals): ModelSum['totals'] {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = totals;
  return { ...EMPTY_TOTALS, calls, cost, inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens };
}
