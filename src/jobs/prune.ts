import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../lib/clock.ts';
import type { Records } from '../storage/records/records.ts';
import type { Job } from './schedule.ts';
import { DAY_MS, HOUR_MS } from '../domain/time/units.ts';
import type { ChangeFeed } from '../storage/change-feed.ts';
import type { EntryStore } from '../storage/entry-store.ts';

/** A node that can't reach the database for longer than this reads all records again. */
const CHANGES_KEPT_MS = 7 * DAY_MS;

/**
 * Deletes entries, refused calls and observed calls of each workspace that are older than its retention. Roll-ups stay, so
 * summaries do not change.
 */
export function pruneEntriesJob(
  records: Pick<Records, 'workspaces'>,
  stores: readonly Pick<EntryStore, 'prune'>[],
  clock: Clock,
  rowsMax: number,
): Job {
  return {
    name: 'prune',
    everyMs: HOUR_MS,
    async run(signal) {
      for (const workspace of await records.workspaces.list()) {
        const before = clock() - workspace.retentionDays * DAY_MS;
        for (const store of stores)
          while (!signal.aborted && (await store.prune(workspace.id, before, rowsMax)) === rowsMax)
            await setImmediate();
      }
    },
  };
}

/** Prepares tables for entries of the next months, where each month has its own. */
export function prepareMonthsJob(prepare: (now: number) => Promise<void>, clock: Clock): Job {
  return { name: 'prepare_months', everyMs: DAY_MS, run: () => prepare(clock()) };
}

/** Deletes old changes of the feed that nodes follow. */
export function pruneChangesJob(changes: Pick<ChangeFeed, 'prune'>, clock: Clock, rowsMax: number): Job {
  return {
    name: 'prune_changes',
    everyMs: HOUR_MS,
    async run(signal) {
      const before = clock() - CHANGES_KEPT_MS;
      while (!signal.aborted && (await changes.prune(before, rowsMax)) === rowsMax) await setImmediate();
    },
  };
}
