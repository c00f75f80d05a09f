import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { updateUnproxiedUsage } from '../provider-reports/unproxied-days.ts';
import { watchCoverage, type WatchParts } from '../provider-reports/watch-coverage.ts';
import type { AdminKey } from '../storage/records/admin-keys.ts';
import type { Records } from '../storage/records/records.ts';
import { holdConnection } from './claimed.ts';
import type { Job } from './schedule.ts';
import { DAY_MS } from '../domain/time/units.ts';

/** Syncs and changes of keys and prices poke it; late calls wait at most this long. */
const EVERY_MS = 5 * 60_000;

export const SETTLE_REPORTS = 'settle_reports';
export const REPRICE_REPORTS = 'reprice_reports';

export interface SettleJobParts extends WatchParts {
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
export function settleReportsJob(parts: SettleJobParts): Job {
  const compared = new Map<string, string>();
  return {
    name: SETTLE_REPORTS,
    everyMs: EVERY_MS,
    async run(signal) {
      const keys = await connections(parts);
      for (const key of keys) {
        if (signal.aborted) return;
        await holdConnection(parts, SETTLE_REPORTS, key.id, async () => {
          const settled = await updateUnproxiedUsage(parts, key, compared, signal);
          if (!settled || settled.days === 0 || signal.aborted) return;
          parts.log.debug({ adminKey: key.id, days: settled.days }, 'computed unproxied usage');
          if (settled.closed > 0) parts.closed();
          await watchCoverage(parts, key, settled.keys, parts.clock());
        });
      }
      await parts.looked(keys);
    },
  };
}

/** Computes days with unpriced usage again. */
export function repriceReportsJob(parts: SettleJobParts, settle: () => void): Job {
  return {
    name: REPRICE_REPORTS,
    everyMs: DAY_MS,
    async run() {
      for (const { id } of await connections(parts)) await parts.reportRest.unsettle(id, ALWAYS, 'unpriced');
      settle();
    },
  };
}

/** Marks all days of a workspace's connections, because its custom prices changed. */
export async function unsettleReports(
  {
    records,
    reportRest,
  }: Pick<SettleJobParts, 'reportRest'> & { records: Pick<SettleJobParts['records'], 'adminKeys'> },
  workspaceId: string,
): Promise<void> {
  for (const { id } of await records.adminKeys.list(workspaceId)) await reportRest.unsettle(id, ALWAYS, 'all');
}

const ALWAYS = { start: 0, end: Number.MAX_SAFE_INTEGER };

async function connections({ records: { workspaces, adminKeys } }: SettleJobParts): Promise<AdminKey[]> {
  const all: AdminKey[] = [];
  for (const { id } of await workspaces.list()) all.push(...(await adminKeys.list(id)));
  return all;
}
