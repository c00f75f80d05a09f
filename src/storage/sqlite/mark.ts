import type { SqliteConnection } from './connection.ts';

const READ = 'SELECT mark FROM marks WHERE journal_id = ?';
const MOVE = `INSERT INTO marks (journal_id, mark) VALUES (?, ?)
  ON CONFLICT (journal_id) DO UPDATE SET mark = max(mark, excluded.mark)`;

export function readMark(connection: SqliteConnection, journalId: string): number {
  return Number(connection.statement(READ).get(journalId)?.['mark'] ?? 0);
}

/** Moves the mark forward; one that is further already stays. */
export function moveMark(connection: SqliteConnection, journalId: string, mark: number): void {
  connection.statement(MOVE).run(journalId, mark);
}
