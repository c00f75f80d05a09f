import type { SqliteConnection } from './connection.ts';

const LIST = 'INSERT INTO unpriced (workspace, began_at, entry) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
const UNLIST = 'DELETE FROM unpriced WHERE workspace = ? AND began_at = ? AND entry = ?';

export function listUnpriced(connection: SqliteConnection, workspace: number, beganAt: number, entry: number): void {
  connection.statement(LIST).run(workspace, beganAt, entry);
}

export function unlistUnpriced(connection: SqliteConnection, workspace: number, beganAt: number, entry: number): void {
  connection.statement(UNLIST).run(workspace, beganAt, entry);
}
