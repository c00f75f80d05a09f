import { setImmediate } from 'node:timers/promises';
import { type ReportEndpoint, type ReportReaderParts, ReportReader } from '../provider-reports/read-reports.ts';
import type { Records } from '../storage/records/records.ts';
import { holdConnection } from './claimed-job.ts';
import type { Job } from './schedule.ts';
import { COMPUTE_UNPROXIED_USAGE } from './compute-unproxied-usage.ts';

const EVERY_MS = 5_000;
/** Connections to read concurrently. */
const AT_ONCE_MAX = 8;
/** Rows to delete per transaction. */
const DROPPED_ROWS_MAX = 5_000;

export const SYNC_REPORTS = 'sync_reports';

export interface SyncJobParts extends Omit<ReportReaderParts, 'adminKeys'> {
  readonly records: Pick<Records, 'adminKeys' | 'jobs'>;
  readonly runner: string;
  /** null = the provider was removed. */
  endpointFor(provider: string): ReportEndpoint | null;
  /** Ids of admin keys that a user asked to sync now. */
  readonly syncRequested: Set<string>;
  /** Called after a turn that may have read something. */
  readonly onAttempts: () => void;
}

/** Syncs provider reports, each connection by one process at a time, and drops the rows of removed connections. */
export function syncReportsJob(parts: SyncJobParts): Job {
  return {
    name: SYNC_REPORTS,
    everyMs: EVERY_MS,
    async run(signal) {
      const { adminKeys } = parts.records;
      const due = await adminKeys.due(parts.clock());
      await Promise.all(due.slice(0, AT_ONCE_MAX).map((key) => syncOne(parts, key, signal)));
      if (due.length > 0) parts.onAttempts();
      for (const id of await adminKeys.removed()) await dropOne(parts, id, signal);
    },
  };
}

type DueKey = Awaited<ReturnType<Records['adminKeys']['due']>>[number];

async function syncOne(parts: SyncJobParts, key: DueKey, stop: AbortSignal): Promise<void> {
  const { records, log, syncRequested, endpointFor } = parts;
  const endpoint = endpointFor(key.provider);
  if (!endpoint) return;
  await holdConnection(parts, SYNC_REPORTS, key.id, stop, async (signal) => {
    // A request during a turn starts another turn.
    do {
      const all = syncRequested.delete(key.id);
      try {
        await new ReportReader({ ...parts, adminKeys: records.adminKeys }, key, endpoint, signal, all).run();
      } catch (error) {
        if (!signal.aborted)
          log.error({ adminKey: key.id, err: error }, 'reports could not be read; it is tried again');
      }
    } while (syncRequested.has(key.id) && !signal.aborted);
  });
}

/** Drops rows of a removed connection, not while its days are computed: rows written then would stay. */
async function dropOne(parts: SyncJobParts, id: string, stop: AbortSignal): Promise<void> {
  const drop = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      if ((await parts.reports.drop(id, DROPPED_ROWS_MAX)) === 0) return await parts.records.adminKeys.forget(id);
      await setImmediate();
    }
  };
  await holdConnection(parts, SYNC_REPORTS, id, stop, (signal) =>
    holdConnection(parts, COMPUTE_UNPROXIED_USAGE, id, signal, drop),
  );
}
