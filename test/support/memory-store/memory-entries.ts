import { TollbookError } from '../../../src/domain/errors.ts';
import type { Entry } from '../../../src/domain/usage/call.ts';
import type { CounterMove } from '../../../src/domain/limits/limit.ts';
import { checkAdjustment, effectiveEntry } from '../../../src/storage/effective-entry.ts';
import { countInUnit, moveBetween } from '../../../src/storage/backfill.ts';
import { floor } from '../../../src/storage/range-segments.ts';
import { wellFormed } from '../../../src/storage/well-formed.ts';
import type { MemoryLedger, MemoryEntry } from './memory-ledger.ts';
import { count, isReleased, touchesOf } from './memory-counters.ts';
import type { MemoryReportRest } from './memory-unproxied-usage.ts';
import type { MemoryRefusals } from './memory-refusals.ts';
import type { MemorySessions } from './memory-sessions.ts';
import { HOUR_MS } from '../../../src/domain/time/units.ts';
import {
  type Adjustment,
  type AdjustResult,
  type AppendResult,
  type EntryBatch,
  type EntryStore,
  lostCalls,
} from '../../../src/storage/entry-store.ts';

export function memoryEntries(
  ledger: MemoryLedger,
  sessions: MemorySessions,
  rest: MemoryReportRest,
  refusals: MemoryRefusals,
): EntryStore {
  return {
    append: async (batch) => {
      if ((ledger.marks.get(batch.journalId) ?? 0) < (batch.after ?? 0)) throw lostCalls();
      for (const call of batch.refused ?? []) refusals.append(call, batch.journalId);
      return append(ledger, sessions, rest, batch);
    },
    mark: async (journalId) => ledger.marks.get(journalId) ?? 0,
    adjust: async (adjustments) => adjust(ledger, rest, adjustments),
    prune: async (workspaceId, before, limit) => prune(ledger, workspaceId, before, limit),
  };
}

function append(
  ledger: MemoryLedger,
  sessions: MemorySessions,
  rest: MemoryReportRest,
  { journalId, mark, entries }: EntryBatch,
): AppendResult {
  const { all, marks } = ledger;
  const moves: CounterMove[] = [];
  let inserted = 0;
  for (const entry of entries) {
    if (all.some((known) => known.entry.callId === entry.callId && !known.isPruned)) continue;
    all.push({ id: all.length + 1, entry: wellFormed(entry), adjustments: [], isPruned: false });
    inserted += 1;
    sessions.append(wellFormed(entry));
    rest.moved(entry.startedAt);
    moves.push(...countEntry(ledger, entry));
  }
  marks.set(journalId, Math.max(marks.get(journalId) ?? 0, mark));
  return { inserted, overflowed: [], moves, observed: 0 };
}

function countEntry(ledger: MemoryLedger, entry: Entry): CounterMove[] {
  const moves: CounterMove[] = [];
  if (entry.outcome === 'not_sent') return moves;
  for (const touch of entry.touched) {
    const whole = countInUnit(touch.unit, entry, false);
    const held = countInUnit(touch.unit, entry, isReleased(ledger, touch.counter, entry));
    count(ledger, { ...touch, ...held });
    const missing = moveBetween(touch, whole, held);
    if (missing) moves.push(missing);
  }
  return moves;
}

/** All of the list or nothing: first on copies, so that an error leaves the book as it was. */
function adjust(ledger: MemoryLedger, rest: MemoryReportRest, adjustments: readonly Adjustment[]): AdjustResult {
  const known = new Set(ledger.all.flatMap((recorded) => recorded.adjustments.map(({ adjustmentId }) => adjustmentId)));
  const changed = new Map<MemoryEntry, Adjustment[]>();
  let inserted = 0;
  for (const adjustment of adjustments) {
    if (known.has(adjustment.adjustmentId)) continue;
    const found = ledger.detail(adjustment.workspaceId).find(({ entry }) => entry.callId === adjustment.callId);
    if (!found) throw new TollbookError('not_found', `There is no entry ${adjustment.callId} to adjust.`);
    const before = changed.get(found) ?? found.adjustments;
    checkAdjustment(adjustment, { entry: found.entry, adjustments: before });
    changed.set(found, [...before, adjustment]);
    known.add(adjustment.adjustmentId);
    inserted += 1;
  }
  const moves: CounterMove[] = [];
  for (const [booked, after] of changed) {
    if (after.some(({ resolved, narrowed }) => resolved ?? narrowed)) rest.moved(booked.entry.startedAt);
    const before = effectiveEntry(booked);
    booked.adjustments.splice(0, booked.adjustments.length, ...after);
    moves.push(...moveCounters(ledger, booked, before));
  }
  return { inserted, moves };
}

function moveCounters(ledger: MemoryLedger, recorded: MemoryEntry, before: Entry): CounterMove[] {
  const after = effectiveEntry(recorded);
  return touchesOf(ledger, recorded).flatMap((touch) => {
    const released = isReleased(ledger, touch.counter, after);
    const held = [before, after].map((entry) => countInUnit(touch.unit, entry, released)) as [Counted, Counted];
    const moved = moveBetween(touch, ...held);
    if (moved) count(ledger, moved);
    return moved ?? [];
  });
}

type Counted = ReturnType<typeof countInUnit>;

function prune(ledger: MemoryLedger, workspaceId: string, before: number, limit: number): number {
  const hour = floor(before, HOUR_MS);
  ledger.detailBegins.set(workspaceId, Math.max(ledger.detailBegins.get(workspaceId) ?? 0, hour));
  const old = ledger
    .detail(workspaceId)
    .filter(({ entry }) => entry.startedAt < hour)
    .slice(0, limit);
  for (const recorded of old) recorded.isPruned = true;
  return old.length;
}
