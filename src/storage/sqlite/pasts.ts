import type { CounterRef } from '../../domain/limits/limit.ts';
import type { Entry } from '../../domain/usage/call.ts';
import { type Backfill, backfillCounter } from '../past.ts';
import type { LedgerDatabase } from './book.ts';
import { text } from './row.ts';

const READ = 'SELECT past FROM counter_pasts WHERE workspace = ?';
const KEEP = 'INSERT OR REPLACE INTO counter_pasts (counter, workspace, start, past) VALUES (?, ?, ?, ?)';
const FORGET_RELEASE = 'DELETE FROM counter_releases WHERE counter = ?';
const RELEASED = 'SELECT until FROM counter_releases WHERE counter = ?';

/** A window that never ends has no end in JSON. */
const NEVER = Number.MAX_SAFE_INTEGER;

export function saveBackfill({ connection, names }: LedgerDatabase, past: Backfill): void {
  const written = JSON.stringify({ ...past, end: Math.min(past.end, NEVER) });
  connection.statement(KEEP).run(past.counter, names.id(past.workspaceId), past.start, written);
  connection.statement(FORGET_RELEASE).run(past.counter);
}

/** Those of a workspace: few, since they end with the window in which their limit came. */
export function readBackfills(
  { connection, names }: Pick<LedgerDatabase, 'connection' | 'names'>,
  workspaceId: string,
): Backfill[] {
  const workspace = names.find(workspaceId);
  const rows = workspace === undefined ? [] : connection.statement(READ).all(workspace);
  return rows.map((row) => JSON.parse(text(row, 'past')) as Backfill);
}

/** The counters that count an entry: those that it names, and those whose past it belongs to. */
export function listTouched(entry: Entry, id: number, pasts: readonly Backfill[]): readonly CounterRef[] {
  if (pasts.length === 0) return entry.touched;
  const named = new Set(entry.touched.map(({ counter }) => counter));
  const past = pasts.flatMap((one) => (named.has(one.counter) ? [] : (backfillCounter(one, entry, id) ?? [])));
  return [...entry.touched, ...past];
}

/** Uncertain entries that ended before are released for this counter. */
export function releasedUntil({ connection }: Pick<LedgerDatabase, 'connection'>, counter: number): number {
  return Number(connection.statement(RELEASED).get(counter)?.['until'] ?? 0);
}
