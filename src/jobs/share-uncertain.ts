import { setImmediate as nextTurn } from 'node:timers/promises';
import { isUncertain } from '../core/call.ts';
import { TollbookError } from '../core/errors.ts';
import type { ReconciledDay } from '../core/reconcile.ts';
import { REPORT_VERSION } from '../core/reconcile/collected.ts';
import { shareUncertain, type TokenShare } from '../core/reconcile/share-uncertain.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { ComparedDays } from '../reports/compare-days.ts';
import { LoneKeys, type UncertainCell } from '../reports/lone-keys.ts';
import { believed } from '../storage/booked.ts';
import type { AdminKey } from '../storage/records/admin-key-records.ts';
import type { Records } from '../storage/records/records.ts';
import type { Adjustment, BookedEntry, EntryStore, Range, Reports } from '../storage/store.ts';
import { claimed } from './claimed.ts';
import type { Job } from './schedule.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Days that are looked at, back from now. */
const DAYS = 31;
/** Rows of a page, and corrections of one transaction. */
const AT_ONCE = 200;
/** Who says so in the audit. */
const ACTOR = 'share_uncertain';
const REASON = 'the provider’s report told what it used';

export interface ShareParts {
  readonly records: Pick<Records, 'workspaces' | 'adminKeys' | 'jobs'>;
  readonly reports: Pick<Reports, 'entriesPage'>;
  readonly entries: Pick<EntryStore, 'adjust'>;
  compare(key: AdminKey, range: Range): Promise<Compared | null>;
  readonly clock: Clock;
  readonly log: Log;
  readonly runner: string;
}

type Compared = Pick<ComparedDays, 'range' | 'wrappedOn' | 'nameOf'> & {
  days(): AsyncIterable<Pick<ReconciledDay, 'lines' | 'isClosed'>>;
};

/**
 * Calls whose answer was lost get what the provider's report holds beyond all others: for keys that the gate alone
 * uses, and only on days that the provider changes no more. What was told once is uncertain no more, so that nothing is
 * told twice.
 */
export function shareUncertainJob(parts: ShareParts): Job {
  return claimed(parts, {
    name: 'share_uncertain',
    everyMs: HOUR_MS,
    async run(signal) {
      const now = parts.clock();
      const range = { start: now - (now % DAY_MS) - DAYS * DAY_MS, end: now - (now % DAY_MS) };
      const workspaces = (await parts.records.workspaces.list()).map(({ id }) => id);
      if (!(await isAnyUncertain(parts, workspaces, range))) return;
      for (const workspaceId of workspaces)
        for (const key of await parts.records.adminKeys.list(workspaceId)) {
          if (signal.aborted) return;
          await shareOf(parts, key, range, workspaces, signal);
        }
    },
  });
}

async function isAnyUncertain({ reports }: ShareParts, workspaces: readonly string[], range: Range): Promise<boolean> {
  for (const id of workspaces) {
    const query = { range, filter: { uncertain: true }, cursor: null, limit: 1 };
    if ((await reports.entriesPage(id, query)).rows.length > 0) return true;
  }
  return false;
}

async function shareOf(
  parts: ShareParts,
  key: AdminKey,
  range: Range,
  workspaces: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const compared = await parts.compare(key, range);
  // Older days may still be read, which would show that a key is used elsewhere.
  if (!compared || compared.range.start > range.start) return;
  const lone = new LoneKeys((of, day) => compared.wrappedOn(of, day));
  for await (const day of compared.days()) if (day.isClosed) lone.add(day);
  let corrected = 0;
  for (const cell of lone.cells) {
    if (signal.aborted) return;
    const calls = await callsOf(parts, cell, compared, workspaces);
    // Some were told meanwhile, or their detail is gone.
    if (calls.length !== cell.calls) continue;
    const shares = shareUncertain(
      cell.rest,
      calls.map((booked) => believed(booked).counted),
    );
    if (shares) corrected += await correct(parts, calls, shares);
  }
  if (corrected > 0) parts.log.info({ adminKey: key.id, calls: corrected }, 'a report told what uncertain calls cost');
}

async function callsOf(
  { reports }: ShareParts,
  { day, wrappedKeyIds, model }: UncertainCell,
  { nameOf }: Compared,
  workspaces: readonly string[],
): Promise<BookedEntry[]> {
  const range = { start: day, end: day + DAY_MS };
  const found: BookedEntry[] = [];
  for (const id of workspaces)
    for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
      const query = { range, filter: { uncertain: true, source: 'proxy' as const }, cursor, limit: AT_ONCE };
      const page: Awaited<ReturnType<Reports['entriesPage']>> = await reports.entriesPage(id, query);
      for (const booked of page.rows) {
        const { entry } = booked;
        const name = entry.model === null ? null : nameOf(entry.model);
        if (wrappedKeyIds.has(entry.keyId) && name === model && isUncertain(believed(booked))) found.push(booked);
      }
      cursor = page.next;
      await nextTurn();
    }
  return found;
}

async function correct(
  { entries, clock }: ShareParts,
  calls: readonly BookedEntry[],
  shares: readonly TokenShare[],
): Promise<number> {
  const adjustments = calls.flatMap((booked, index) => adjustmentOf(booked, shares[index], clock()) ?? []);
  let inserted = 0;
  try {
    for (let at = 0; at < adjustments.length; at += AT_ONCE) {
      inserted += (await entries.adjust(adjustments.slice(at, at + AT_ONCE), ACTOR)).inserted;
      await nextTurn();
    }
  } catch (error) {
    // Somebody told of one of them just now: the rest has its turn in the next run.
    if (!(error instanceof TollbookError)) throw error;
  }
  return inserted;
}

function adjustmentOf(booked: BookedEntry, share: TokenShare | undefined, recordedAt: number): Adjustment | null {
  if (!share) return null;
  const { cost, ...resolved } = share;
  const { callId, workspaceId } = booked.entry;
  return {
    adjustmentId: `${callId}:report`,
    callId,
    workspaceId,
    recordedAt,
    costBefore: believed(booked).cost,
    costAfter: cost,
    priceVersion: REPORT_VERSION,
    reason: REASON,
    resolved,
  };
}
