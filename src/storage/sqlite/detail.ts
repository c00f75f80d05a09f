import type { SqliteConnection } from './connection.ts';

const READ = 'SELECT begins_at FROM detail WHERE workspace = ?';
const MOVE = `INSERT INTO detail (workspace, begins_at) VALUES (?, ?)
  ON CONFLICT (workspace) DO UPDATE SET begins_at = max(begins_at, excluded.begins_at)`;

/** The whole UTC hour from which on the workspace's entries are all there. */
export function readDetailBegins(connection: SqliteConnection, workspace: number): number {
  return Number(connection.statement(READ).get(workspace)?.['begins_at'] ?? 0);
}

export function moveDetailBegins(connection: SqliteConnection, workspace: number, hour: number): void {
  connection.statement(MOVE).run(workspace, hour);
}
