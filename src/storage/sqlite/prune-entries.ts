import { floor } from '../range-segments.ts';
import type { LedgerDatabase } from './ledger-database.ts';
import { moveDetailBegins } from './entry-reader.ts';
import { number } from './result-row.ts';
import { unlistUnpriced } from './unpriced.ts';
import { HOUR_MS } from '../../domain/time/units.ts';

const FIND = 'SELECT id, began_at FROM entries WHERE workspace = ? AND began_at < ? ORDER BY began_at, id LIMIT ?';
const DELETE_ADJUSTMENTS = 'DELETE FROM adjustments WHERE entry = ?';
const DELETE = 'DELETE FROM entries WHERE id = ?';

export async function pruneEntries(
  book: LedgerDatabase,
  workspaceId: string,
  before: number,
  limit: number,
): Promise<number> {
  const hour = floor(before, HOUR_MS);
  return await book.write(() => {
    const { connection } = book;
    const workspace = book.names.id(workspaceId);
    moveDetailBegins(connection, workspace, hour);
    const rows = connection.statement(FIND).all(workspace, hour, limit);
    for (const row of rows) {
      const id = number(row, 'id');
      unlistUnpriced(connection, workspace, number(row, 'began_at'), id);
      connection.statement(DELETE_ADJUSTMENTS).run(id);
      connection.statement(DELETE).run(id);
    }
    return rows.length;
  });
}
