import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { LAST_JOURNAL } from '../records/journal.ts';

/**
 * Reads which journal a ledger last took calls from, before the ledger is opened: a journal that is missing must not be
 * begun again first. null = there is no ledger yet, or it knows none. A file that can't be read says so when it is opened.
 */
export function readLastJournal(file: string): string | null {
  if (!existsSync(file)) return null;
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const row = database.prepare('SELECT value FROM settings WHERE name = ?').get(LAST_JOURNAL);
    return typeof row?.['value'] === 'string' ? row['value'] : null;
  } catch {
    // No such table, or no database: the ledger's own opening tells what is wrong.
    return null;
  } finally {
    database.close();
  }
}
