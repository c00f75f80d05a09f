import type { Alert } from '../domain/alerts/alert.ts';
import { stalePriceAlert } from '../domain/pricing/stated-difference.ts';
import { DAY_MS } from '../domain/time/units.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Records } from '../storage/records/records.ts';
import { readStatedDifferences, type StatedPriceParts } from '../storage/stated-differences.ts';
import { claimedJob } from './claimed-job.ts';
import { forEachWorkspace, type Job } from './schedule.ts';

const NAME = 'compare_stated_prices';

export interface CompareStatedParts extends StatedPriceParts {
  readonly records: Pick<Records, 'workspaces' | 'alerts' | 'jobs'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly runner: string;
  readonly raise: (alert: Alert) => Promise<void>;
}

/** Raises an alert once a day for each model whose stated costs differ from its price, and resolves it when they agree. */
export function compareStatedPricesJob(parts: CompareStatedParts): Job {
  return claimedJob(parts, {
    name: NAME,
    everyMs: DAY_MS,
    run: (signal) => forEachWorkspace(parts, NAME, signal, ({ id }) => compareWorkspace(parts, id)),
  });
}

async function compareWorkspace(parts: CompareStatedParts, workspaceId: string): Promise<void> {
  const now = parts.clock();
  const { alerts } = parts.records;
  const found = (await readStatedDifferences(parts, workspaceId, now)).map((one) =>
    stalePriceAlert(workspaceId, one, now),
  );
  const episodes = new Set(found.map(({ episode }) => episode));
  for (const { episode } of await alerts.open(workspaceId, ['STALE_PRICE']))
    if (!episodes.has(episode)) await alerts.resolve(workspaceId, episode, now);
  for (const alert of found) await parts.raise(alert);
}
