import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { updateUnproxiedUsage } from '../provider-reports/unproxied-days.ts';
import { watchCoverage, type WatchParts } from '../provider-reports/watch-coverage.ts';
import type { AdminKey } from '../storage/records/admin-keys.ts';
import type { Records } from '../storage/records/records.ts';
import { holdConnection } from './claimed-job.ts';
import type { Job } from './schedule.ts';
import { DAY_MS } from '../domain/time/units.ts';

/** Syncs and changes of keys and prices poke it; late calls wait at most this long. */
const EVERY_MS = 5 * 60_000;

export const COMPUTE_UNPROXIED_USAGE = 'compute_unproxied_usage';
export const REPRICE_UNPROXIED_USAGE = 'reprice_unproxied_usage';

export interface UnproxiedJobParts extends WatchParts {
  readonly records: WatchParts['records'] & {
    readonly adminKeys: Pick<Records['adminKeys'], 'list'>;
    readonly jobs: Records['jobs'];
  };
  readonly clock: Clock;
  readonly log: Log;
  readonly runner: string;
  /** Called when a closed day changed. */
  readonly closed: () => void;
  /** Called after a run, with all connections. */
  readonly looked: (keys: readonly AdminKey[]) => Promise<void>;
}

/**
 * Computes unproxied usage again after syncs, late calls and changes of keys and prices, each connection by one
 * process at a time.
 */
export function computeUnproxiedUsageJob(parts: UnproxiedJobParts): Job {
  const compared = new Map<string, string>();
  return {
    name: COMPUTE_UNPROXIED_USAGE,
    everyMs: EVERY_MS,
    async run(stop) {
      const keys = await connections(parts);
      for (const key of keys) {
        if (stop.aborted) return;
        await holdConnection(parts, COMPUTE_UNPROXIED_USAGE, key.id, stop, async (signal) => {
          const computed = await updateUnproxiedUsage(parts, key, compared, signal);
          if (!computed || computed.days === 0 || signal.aborted) return;
          parts.log.debug({ adminKey: key.id, days: computed.days }, 'computed unproxied usage');
          if (computed.closed > 0) parts.closed();
          await watchCoverage(parts, key, computed.keys, parts.clock());
        });
      }
      await parts.looked(keys);
    },
  };
}

/** Computes days with unpriced usage again. */
export function repriceUnproxiedUsageJob(parts: UnproxiedJobParts, computeAgain: () => void): Job {
  return {
    name: REPRICE_UNPROXIED_USAGE,
    everyMs: DAY_MS,
    async run() {
      for (const { id } of await connections(parts)) await parts.unproxiedUsage.markDays(id, ALWAYS, 'unpriced');
      computeAgain();
    },
  };
}

/** Marks all days of a workspace's connections, because its custom prices changed. */
export async function markUnproxiedUsage(
  {
    records,
    unproxiedUsage,
  }: Pick<UnproxiedJobParts, 'unproxiedUsage'> & { records: Pick<UnproxiedJobParts['records'], 'adminKeys'> },
  workspaceId: string,
): Promise<void> {
  for (const { id } of await records.adminKeys.list(workspaceId)) await unproxiedUsage.markDays(id, ALWAYS, 'all');
}

const ALWAYS = { start: 0, end: Number.MAX_SAFE_INTEGER };

async function connections({ records: { workspaces, adminKeys } }: UnproxiedJobParts): Promise<AdminKey[]> {
  const all: AdminKey[] = [];
  for (const { id } of await workspaces.list()) all.push(...(await adminKeys.list(id)));
  return all;
}
