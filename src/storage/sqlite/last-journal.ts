import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { journalSettings, type JournalNotes, parseJournalNotes } from '../records/journal.ts';

/** Reads what a database file knows of a journal. Opening the ledger reports a file that can't be read. */
export function readJournalNotes(file: string, place: string): JournalNotes {
  return parseJournalNotes(existsSync(file) ? readSettings(file, journalSettings(place)) : new Map(), place);
}

function readSettings(file: string, names: readonly string[]): Map<string, string> {
  const settings = new Map<string, string>();
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const statement = database.prepare('SELECT value FROM settings WHERE name = ?');
    for (const name of names) {
      const value = statement.get(name)?.['value'];
      if (typeof value === 'string') settings.set(name, value);
    }
  } catch {
    // No such table, or no database: opening the ledger reports the problem.
  } finally {
    database.close();
  }
  return settings;
}
