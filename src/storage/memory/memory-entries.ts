import { TollbookError } from '../../core/errors.ts';
import { believedCost } from '../booked.ts';
import { floor, HOUR_MS } from '../segments.ts';
import type { Adjustment, Appended, Batch, EntryStore } from '../store.ts';
import { wellFormed } from '../well-formed.ts';
import type { MemoryBook, MemoryEntry } from './memory-book.ts';

export function memoryEntries(book: MemoryBook): EntryStore {
  return {
    append: async (batch) => append(book, batch),
    mark: async (journalId) => book.marks.get(journalId) ?? 0,
    adjust: async (adjustments) => adjust(book, adjustments),
    prune: async (workspaceId, before, limit) => prune(book, workspaceId, before, limit),
  };
}

function append({ all, marks }: MemoryBook, { journalId, mark, entries }: Batch): Appended {
  let inserted = 0;
  for (const entry of entries) {
    if (all.some((known) => known.entry.callId === entry.callId && !known.isPruned)) continue;
    all.push({ id: all.length + 1, entry: wellFormed(entry), adjustments: [], isPruned: false });
    inserted += 1;
  }
  marks.set(journalId, Math.max(marks.get(journalId) ?? 0, mark));
  return { inserted, overflowed: [] };
}

/** All of the list or nothing: first on copies, so that an error leaves the book as it was. */
function adjust(book: MemoryBook, adjustments: readonly Adjustment[]): { inserted: number } {
  const known = new Set(book.all.flatMap((booked) => booked.adjustments.map(({ adjustmentId }) => adjustmentId)));
  const changed = new Map<MemoryEntry, Adjustment[]>();
  let inserted = 0;
  for (const adjustment of adjustments) {
    if (known.has(adjustment.adjustmentId)) continue;
    const found = book.detail(adjustment.workspaceId).find(({ entry }) => entry.callId === adjustment.callId);
    if (!found) throw new TollbookError('not_found', `There is no entry ${adjustment.callId} to adjust.`);
    const before = changed.get(found) ?? found.adjustments;
    if (believedCost({ entry: found.entry, adjustments: before }) !== adjustment.costBefore)
      throw new TollbookError(
        'conflict',
        `The cost of call ${adjustment.callId} is another by now; read the entry again.`,
      );
    changed.set(found, [...before, adjustment]);
    known.add(adjustment.adjustmentId);
    inserted += 1;
  }
  for (const [{ adjustments: list }, after] of changed) list.splice(0, list.length, ...after);
  return { inserted };
}

function prune(book: MemoryBook, workspaceId: string, before: number, limit: number): number {
  const hour = floor(before, HOUR_MS);
  book.detailBegins.set(workspaceId, Math.max(book.detailBegins.get(workspaceId) ?? 0, hour));
  const old = book
    .detail(workspaceId)
    .filter(({ entry }) => entry.beganAt < hour)
    .slice(0, limit);
  for (const booked of old) booked.isPruned = true;
  return old.length;
}
