import { floor, HOUR_MS } from '../segments.ts';
import type { Book } from './book.ts';
import { moveDetailBegins } from './detail.ts';

const FIND = 'SELECT id FROM entries WHERE workspace = ? AND began_at < ? ORDER BY began_at, id LIMIT ?';
const DELETES = [
  'DELETE FROM adjustments WHERE entry = :id',
  'DELETE FROM unpriced WHERE entry = :id AND workspace = (SELECT workspace FROM entries WHERE id = :id) AND began_at = (SELECT began_at FROM entries WHERE id = :id)',
  'DELETE FROM entries WHERE id = :id',
];

export async function prune(book: Book, workspaceId: string, before: number, limit: number): Promise<number> {
  const workspace = book.names.find(workspaceId);
  if (workspace === undefined) return 0;
  const hour = floor(before, HOUR_MS);
  return await book.write(() => {
    moveDetailBegins(book.connection, workspace, hour);
    const rows = book.connection.statement(FIND).all(workspace, hour, limit);
    for (const row of rows) for (const sql of DELETES) book.connection.statement(sql).run({ id: Number(row['id']) });
    return rows.length;
  });
}
