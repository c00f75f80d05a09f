import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { LAST_JOURNAL } from '../records/journal.ts';

/**
 * Reads the id of the last journal before the ledger is opened, so that a missing journal is not created again. null
 * = no ledger yet, or no journal. Opening the ledger reports a file that can't be read.
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
