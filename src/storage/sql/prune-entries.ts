import { floor } from '../range-segments.ts';
import type { LedgerDatabase } from '../sqlite/ledger-database.ts';
import { moveDetailBegins } from './entry-reader.ts';
import { number } from './result-row.ts';
import { unlistUnpriced } from './unpriced.ts';
import { HOUR_MS } from '../../domain/time/units.ts';

const FIND =
  'SELECT id, started_at FROM entries WHERE workspace = ? AND started_at < ? ORDER BY started_at, id LIMIT ?';
const DELETE_ADJUSTMENTS = 'DELETE FROM adjustments WHERE entry = ?';
const DELETE = 'DELETE FROM entries WHERE id = ?';

export async function pruneEntries(
  ledger: LedgerDatabase,
  workspaceId: string,
  before: number,
  limit: number,
): Promise<number> {
  const hour = floor(before, HOUR_MS);
  return await ledger.write(() => {
    const { connection } = ledger;
    const workspace = ledger.names.id(workspaceId);
    moveDetailBegins(connection, workspace, hour);
    const rows = connection.statement(FIND).all(workspace, hour, limit);
    for (const row of rows) {
      const id = number(row, 'id');
      unlistUnpriced(connection, workspace, number(row, 'started_at'), id);
      connection.statement(DELETE_ADJUSTMENTS).run(id);
      connection.statement(DELETE).run(id);
    }
    return rows.length;
  });
}
