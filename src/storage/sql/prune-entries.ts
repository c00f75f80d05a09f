import { floor } from '../range-segments.ts';
import { moveDetailBegins, type SqlContext } from './entry-reader.ts';
import { number } from './result-row.ts';
import { ask, change, type SqlSteps } from './steps.ts';
import { unlistUnpriced } from './unpriced.ts';
import { HOUR_MS } from '../../domain/time/units.ts';

const FIND =
  'SELECT id, started_at FROM entries WHERE workspace = ? AND started_at < ? ORDER BY started_at, id LIMIT ?';
const DELETE_ADJUSTMENTS = 'DELETE FROM adjustments WHERE entry = ?';
const DELETE = 'DELETE FROM entries WHERE id = ? AND started_at = ?';

export function* pruneEntries(
  { names }: SqlContext,
  workspaceId: string,
  before: number,
  limit: number,
): SqlSteps<number> {
  const hour = floor(before, HOUR_MS);
  const workspace = yield* names.id(workspaceId);
  yield* moveDetailBegins(workspace, hour);
  const rows = yield ask(FIND, [workspace, hour, limit]);
  for (const row of rows) {
    const [id, startedAt] = [number(row, 'id'), number(row, 'started_at')];
    yield* unlistUnpriced([workspace, startedAt, id]);
    yield* change(DELETE_ADJUSTMENTS, [id]);
    yield* change(DELETE, [id, startedAt]);
  }
  return rows.length;
}
