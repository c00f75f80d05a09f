import type { Entry } from '../../core/call.ts';
import type { Book } from './book.ts';
import type { Connection } from './connection.ts';
import { ENTRY_COLUMNS, fromRow } from './entry-row.ts';
import { positionAfter } from './position.ts';

const LIST = 'INSERT INTO unpriced (workspace, began_at, entry) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
const UNLIST = 'DELETE FROM unpriced WHERE workspace = ? AND began_at = ? AND entry = ?';
const READ = `SELECT ${ENTRY_COLUMNS} FROM unpriced u JOIN entries e ON e.id = u.entry
  WHERE u.workspace = ? AND (u.began_at, u.entry) > (?, ?) ORDER BY u.began_at, u.entry LIMIT ?`;

export function listUnpriced(connection: Connection, workspace: number, beganAt: number, entry: number): void {
  connection.statement(LIST).run(workspace, beganAt, entry);
}

export function unlistUnpriced(connection: Connection, workspace: number, beganAt: number, entry: number): void {
  connection.statement(UNLIST).run(workspace, beganAt, entry);
}

export function unpriced(
  { connection, names }: Book,
  workspaceId: string,
  after: string | null,
  limit: number,
): Entry[] {
  const workspace = names.find(workspaceId);
  if (workspace === undefined) return [];
  const { beganAt, id } = positionAfter(connection, workspace, after);
  return connection.statement(READ).all(workspace, beganAt, id, limit).map(fromRow);
}
