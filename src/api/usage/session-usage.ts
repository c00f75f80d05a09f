import type { Period } from '../../core/period.ts';
import { coveredTimes, covers, type Subscription } from '../../core/subscription.ts';
import type { Records } from '../../storage/records/records.ts';
import { addSessionTotals, NO_SESSION_TOTALS } from '../../storage/session-totals.ts';
import type { SeriesFilter, SessionStore, SessionSum, SessionTotals, Totals } from '../../storage/store.ts';
import { emptySum } from '../../storage/totals.ts';

/** What a workspace pays for at a flat rate, and where its days begin. */
export interface Plans {
  readonly subscriptions: readonly Subscription[];
  readonly timeZone: string;
}

export async function plansOf(
  { workspaces, subscriptions }: Pick<Records, 'workspaces' | 'subscriptions'>,
  workspaceId: string,
): Promise<Plans> {
  const { timeZone } = await workspaces.get(workspaceId);
  return { subscriptions: await subscriptions.list(workspaceId), timeZone };
}

/** Local sessions of a period, without what went through the gate. What a plan covers is shown and not owed. */
export interface SessionUsage {
  readonly owed: readonly SessionSum[];
  readonly covered: readonly SessionSum[];
}

/** Whether a plan covers an hour is decided where the hour begins. */
export async function sessionUsage(
  sessions: Pick<SessionStore, 'sums'>,
  workspaceId: string,
  { subscriptions, timeZone }: Plans,
  period: Period,
): Promise<SessionUsage> {
  const owed: SessionSum[] = [];
  const covered: SessionSum[] = [];
  for (const time of coveredTimes(subscriptions, period, timeZone))
    for (const sum of await sessions.sums(workspaceId, time))
      (time.subscriptions.some((subscription) => covers(subscription, sum)) ? covered : owed).push(sum);
  return { owed, covered };
}

/** Sessions know no key, status or tag. */
export function passesFilter({ source, provider, model }: SessionSum, filter: SeriesFilter): boolean {
  return (
    (filter.source === undefined || filter.source === source) &&
    (filter.provider === undefined || filter.provider === provider) &&
    (filter.model === undefined || filter.model === model) &&
    filter.keyId === undefined &&
    filter.status === undefined &&
    filter.tag === undefined
  );
}

export function sumSessions(sums: readonly SessionSum[]): SessionTotals {
  return sums.reduce((total, { totals }) => addSessionTotals(total, totals), NO_SESSION_TOTALS);
}

/** As sums of calls are: what files don't tell (failures, doubts) is 0. */
export function asTotals(totals: SessionTotals): Totals {
  const { calls, cost, inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, unpricedCalls } = totals;
  return {
    ...emptySum(),
    calls,
    cost,
    inputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens,
    unpricedCalls,
  };
}
