import { setImmediate } from 'node:timers/promises';
import { countsAgents } from '../domain/limits/limit.ts';
import type { Clock } from '../lib/clock.ts';
import type { Records } from '../storage/records/records.ts';
import { IDLE_KEPT_MS } from './limit-counters.ts';
import type { Job } from './schedule.ts';
import { DAY_MS, HOUR_MS } from '../domain/time/units.ts';
import type { ChangeFeed } from '../storage/change-feed.ts';
import type { EntryStore } from '../storage/entry-store.ts';

/** Points of metrics that are older are not taken, so that their counters can be folded into days. */
const OUTCOMES_APART_MS = 32 * DAY_MS;
/** A node that can't reach the database for longer than this reads all records again. */
const CHANGES_KEPT_MS = 7 * DAY_MS;

interface PrunedStores {
  readonly entries: Pick<EntryStore, 'prune'>;
  readonly refusals: Pick<EntryStore, 'prune'>;
  readonly observed: Pick<EntryStore, 'prune'>;
}

/**
 * Deletes entries, refused calls and observed calls of each workspace that are older than its retention, and folds old
 * counters of outcomes. Roll-ups stay, so summaries do not change. Under a limit on each agent, entries are kept as long as its counters: they say which agents are
 * above an agent.
 */
export function pruneEntriesJob(
  records: Pick<Records, 'workspaces' | 'limits' | 'outcomes'>,
  { entries, refusals, observed }: PrunedStores,
  clock: Clock,
  rowsMax: number,
): Job {
  return {
    name: 'prune',
    everyMs: HOUR_MS,
    async run(signal) {
      const withAgents = new Set((await records.limits.all()).filter(countsAgents).map((limit) => limit.workspaceId));
      const prune = async (store: Pick<EntryStore, 'prune'>, workspaceId: string, keptMs: number): Promise<void> => {
        const before = clock() - keptMs;
        while (!signal.aborted && (await store.prune(workspaceId, before, rowsMax)) === rowsMax) await setImmediate();
      };
      for (const { id, retentionDays } of await records.workspaces.list()) {
        const retentionMs = retentionDays * DAY_MS;
        await prune(entries, id, withAgents.has(id) ? Math.max(retentionMs, IDLE_KEPT_MS) : retentionMs);
        for (const store of [refusals, observed]) await prune(store, id, retentionMs);
        await prune(records.outcomes, id, OUTCOMES_APART_MS);
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
