import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Entry } from '../core/call.ts';
import { journalContract } from './contract/journal-contract.ts';
import { openJournalReader } from './journal-reader.ts';
import { openJournal } from './sqlite-journal.ts';

/** Another process's write lock makes every commit of the journal fail, for real. */
function openBlocker(file: string): { block(): void; unblock(): void; close(): void } {
  const db = new DatabaseSync(file);
  return {
    block: () => void (db.isTransaction || db.exec('BEGIN IMMEDIATE')),
    unblock: () => void (db.isTransaction && db.exec('ROLLBACK')),
    close: () => db.close(),
  };
}

function readAll(file: string): Entry[] {
  const reader = openJournalReader(file);
  try {
    return reader.readEnded(0, 10_000).entries.slice();
  } finally {
    reader.close();
  }
}

journalContract(
  'SQLite journal',
  ({ openCallsMax }) => {
    const folder = mkdtempSync(join(tmpdir(), 'tollbook-journal-'));
    const file = join(folder, 'journal.db');
    const troubles: (string | null)[] = [];
    const onTrouble = (trouble: string | null): void => void troubles.push(trouble);
    const journal = openJournal({ file, sync: 'normal', clock: () => 0, onTrouble, limits: { openCallsMax } });
    const blocker = openBlocker(file);
    return {
      journal,
      troubles,
      entries: () => readAll(file),
      breakWrites: blocker.block,
      mendWrites: blocker.unblock,
      dispose: () => {
        blocker.close();
        journal.close();
        rmSync(folder, { recursive: true });
      },
    };
  },
  15,
);
