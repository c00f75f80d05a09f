import type { Alert } from '../domain/alerts/alert.ts';
import { isAlertFor, isRefusedAlert, refusedAlert, findRefusedCalls } from '../detection/refused-calls.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Records } from '../storage/records/records.ts';
import { claimedJob } from './claimed-job.ts';
import { forEachWorkspace, type Job } from './schedule.ts';
import type { UsageQueries } from '../storage/usage-queries.ts';

const NAME = 'watch_rate_limits';
const EVERY_MS = 60_000;

export interface RateLimitParts {
  readonly reports: Pick<UsageQueries, 'series'>;
  readonly records: Pick<Records, 'workspaces' | 'alerts' | 'jobs'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly runner: string;
  readonly raise: (alert: Alert) => Promise<void>;
}

/** Raises an alert when a provider refuses calls for their rate, and resolves it after an hour without. */
export function watchRateLimitsJob(parts: RateLimitParts): Job {
  return claimedJob(parts, {
    name: NAME,
    everyMs: EVERY_MS,
    run: (signal) => forEachWorkspace(parts, NAME, signal, ({ id }) => watchWorkspace(parts, id)),
  });
}

async function watchWorkspace(
  { reports, records: { alerts }, clock, raise }: RateLimitParts,
  id: string,
): Promise<void> {
  const now = clock();
  const found = await findRefusedCalls(reports, id, now);
  const open = (await alerts.open(id, ['RATE_LIMIT'])).filter(isRefusedAlert);
  for (const alert of open)
    if (!found.some((refused) => isAlertFor(alert, refused))) await alerts.resolve(id, alert.episode, now);
  for (const refused of found)
    if (!open.some((alert) => isAlertFor(alert, refused))) await raise(refusedAlert(id, refused, now));
}
