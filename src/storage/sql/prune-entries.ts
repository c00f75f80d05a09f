import { floor } from '../range-segments.ts';
import { moveDetailBegins } from './entry-reader.ts';
import type { SqlContext } from './entry-table.ts';
import { number } from './result-row.ts';
import { ask, change, type SqlSteps } from './steps.ts';
import { HOUR_MS } from '../../domain/time/units.ts';

const LAST = `SELECT started_at, id FROM entries WHERE workspace = ? AND started_at < ?
  ORDER BY started_at, id LIMIT 1 OFFSET ?`;
const DELETE_UNPRICED = 'DELETE FROM unpriced WHERE workspace = ? AND (started_at, entry) <= (?, ?)';
const DELETE_ADJUSTMENTS = 'DELETE FROM adjustments WHERE workspace = ? AND (started_at, entry) <= (?, ?)';
const DELETE = 'DELETE FROM entries WHERE workspace = ? AND (started_at, id) <= (?, ?)';

/** Has sums no longer read entries that began before the whole hour of an instant. Returns that hour. */
export function* endRetention({ names }: SqlContext, workspaceId: string, before: number): SqlSteps<number> {
  const hour = floor(before, HOUR_MS);
  yield* moveDetailBegins(yield* names.id(workspaceId), hour);
  return hour;
}

export function* pruneEntries(
  context: SqlContext,
  workspaceId: string,
  before: number,
  limit: number,
): SqlSteps<number> {
  const hour = yield* endRetention(context, workspaceId, before);
  return yield* context.entries.prune(context, workspaceId, hour, limit);
}

/** Deletes the oldest entries that began before an hour, with all that is stored of each. */
export function* deleteEntries(
  { names }: SqlContext,
  workspaceId: string,
  hour: number,
  limit: number,
): SqlSteps<number> {
  const workspace = yield* names.id(workspaceId);
  const [last] = yield ask(LAST, [workspace, hour, limit - 1]);
  // No entry has a number below 1: all that began before the hour.
  const until = last ? [workspace, number(last, 'started_at'), number(last, 'id')] : [workspace, hour, 0];
  yield* change(DELETE_UNPRICED, until);
  yield* change(DELETE_ADJUSTMENTS, until);
  return yield* change(DELETE, until);
}
