import type { Limit } from '../../domain/limits/limit.ts';
import type { RecordDb, RecordTransaction } from './tables.ts';

/** Returns the counters that a node has not backfilled yet. */
export async function readPending(db: RecordDb, nodeId: string | null): Promise<ReadonlySet<number>> {
  if (nodeId === null) return NONE;
  const rows = await db.selectFrom('pending_backfills').select('counter').where('node', '=', nodeId).execute();
  return new Set(rows.map(({ counter }) => counter));
}

const NONE: ReadonlySet<number> = new Set();

/** Returns the limit as a node knows it that has not backfilled some counters. */
export function asKnownTo(limit: Limit, pending: ReadonlySet<number>): Limit {
  return pending.has(limit.counter) ? { ...limit, countsPast: false } : limit;
}

/**
 * Notes which nodes may have calls that don't name a new counter and are not in the ledger: each one must count the past
 * again once these are.
 */
export async function awaitOlderCalls(tx: RecordTransaction, counter: number): Promise<void> {
  const query = tx.selectFrom('nodes').select('id');
  const nodes = await query
    .where((or) => or.or([or('stopped_at', 'is', null), or('unshipped_calls', '>', 0)]))
    .execute();
  if (nodes.length === 0) return;
  const rows = nodes.map(({ id }) => ({ counter, node: id }));
  await tx.insertInto('pending_backfills').values(rows).execute();
}

/** Notes that a node has backfilled a counter, or that the counter is gone. */
export async function dropPending(db: RecordDb, counter: number, node?: string): Promise<void> {
  const pending = db.deleteFrom('pending_backfills').where('counter', '=', counter);
  await (node === undefined ? pending : pending.where('node', '=', node)).execute();
}
