import type { SqliteConnection } from '../sqlite/connection.ts';

const LIST = 'INSERT INTO unpriced (workspace, started_at, entry) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
const UNLIST = 'DELETE FROM unpriced WHERE workspace = ? AND started_at = ? AND entry = ?';

export function listUnpriced(connection: SqliteConnection, workspace: number, startedAt: number, entry: number): void {
  connection.statement(LIST).run(workspace, startedAt, entry);
}

export function unlistUnpriced(
  connection: SqliteConnection,
  workspace: number,
  startedAt: number,
  entry: number,
): void {
  connection.statement(UNLIST).run(workspace, startedAt, entry);
}
