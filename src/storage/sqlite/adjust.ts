import { TollbookError } from '../../core/errors.ts';
import { believedCost } from '../booked.ts';
import type { Adjustment, BookedEntry } from '../store.ts';
import { entryCounts } from '../totals.ts';
import type { Counts } from '../totals.ts';
import type { Book } from './book.ts';
import { toRow } from './entry-row.ts';
import { readEntry } from './entry.ts';
import type { Kind } from './kinds.ts';
import { rollUp } from './roll-up.ts';
import { difference, measuresOf, Sums } from './sums.ts';
import { listUnpriced, unlistUnpriced } from './unpriced.ts';

const KNOWN = 'SELECT 1 FROM adjustments WHERE adjustment_id = ?';
const NUMBER = 'SELECT id FROM entries WHERE call_id = ?';
const INSERT = `INSERT INTO adjustments (adjustment_id, entry, workspace, began_at, recorded_at, cost_before, cost_after,
  price_version, reason, cost_moved, unpriced_moved, uncertain_moved) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

export async function adjust(book: Book, adjustments: readonly Adjustment[]): Promise<{ inserted: number }> {
  return await book.write(() => {
    const moved = new Sums<Kind>();
    let inserted = 0;
    for (const adjustment of adjustments) {
      if (book.connection.statement(KNOWN).get(adjustment.adjustmentId)) continue;
      adjustOne(book, adjustment, moved);
      inserted += 1;
    }
    rollUp(book, moved);
    return { inserted };
  });
}

function adjustOne(book: Book, adjustment: Adjustment, allMoved: Sums<Kind>): void {
  const booked = readEntry(book, adjustment.workspaceId, adjustment.callId);
  if (!booked) throw new TollbookError('not_found', `There is no entry ${adjustment.callId} to adjust.`);
  checkBefore(adjustment, booked);
  const after = entryCounts(booked.entry, adjustment.costAfter);
  const moved = difference(after, entryCounts(booked.entry, adjustment.costBefore));
  const workspace = book.names.id(adjustment.workspaceId);
  const { beganAt } = booked.entry;
  const id = Number(book.connection.statement(NUMBER).get(adjustment.callId)?.['id']);
  insert(book, adjustment, { workspace, beganAt, id }, moved);
  const list = moved.unpricedCalls > 0 ? listUnpriced : unlistUnpriced;
  if (moved.unpricedCalls !== 0) list(book.connection, workspace, beganAt, id);
  if (after.calls === 1) allMoved.add(book.kinds.of(toRow(booked.entry, after, book), booked.entry), measuresOf(moved));
}

/** A correction made from a stale reading would be counted on top of the one it did not see. */
function checkBefore(adjustment: Adjustment, booked: BookedEntry): void {
  const believed = believedCost(booked);
  if (adjustment.costBefore === believed) return;
  throw new TollbookError(
    'conflict',
    `The book believes that call ${adjustment.callId} cost ${believed} nano-USD, the adjustment starts from ${adjustment.costBefore}; read the entry again.`,
  );
}

function insert(
  { connection }: Book,
  adjustment: Adjustment,
  { workspace, beganAt, id }: Record<'workspace' | 'beganAt' | 'id', number>,
  moved: Counts,
): void {
  connection
    .statement(INSERT)
    .run(
      adjustment.adjustmentId,
      id,
      workspace,
      beganAt,
      adjustment.recordedAt,
      adjustment.costBefore,
      adjustment.costAfter,
      adjustment.priceVersion,
      adjustment.reason,
      moved.cost,
      moved.unpricedCalls,
      moved.uncertainUpTo,
    );
}
