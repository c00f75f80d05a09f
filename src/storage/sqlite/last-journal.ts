import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { JOURNAL_END, LAST_JOURNAL } from '../records/journal.ts';

/**
 * Reads the id of the last journal before the ledger is opened, so that a missing journal is not created again. null
 * = no ledger yet, or no journal. Opening the ledger reports a file that can't be read.
 */
export function readLastJournal(file: string): string | null {
  return readSetting(file, LAST_JOURNAL);
}

/** Reads how far a journal was seen to go; null = nothing is known. */
export function readJournalEnd(file: string): { journalId: string; segment: number; offset: number } | null {
  const [journalId = '', segment, offset] = readSetting(file, JOURNAL_END)?.split(' ') ?? [];
  return offset === undefined ? null : { journalId, segment: Number(segment), offset: Number(offset) };
}

function readSetting(file: string, name: string): string | null {
  if (!existsSync(file)) return null;
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const row = database.prepare('SELECT value FROM settings WHERE name = ?').get(name);
    return typeof row?.['value'] === 'string' ? row['value'] : null;
  } catch {
    // No such table, or no database: opening the ledger reports the problem.
    return null;
  } finally {
    database.close();
  }
}
