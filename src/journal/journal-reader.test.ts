import { byId } from './contract/by-id.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { turn } from './contract/journal-contract.ts';
import { sampleBegin, sampleEnd } from './contract/sample-calls.ts';
import { openJournalReader } from './journal-reader.ts';
import { openJournal } from './sqlite-journal.ts';
import type { TurnJournal } from './turn-journal.ts';

let folder: string;
let file: string;
let journal: TurnJournal;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollbook-reader-'));
  file = join(folder, 'journal.db');
  journal = openJournal({ file, sync: 'normal', clock: () => 0, onTrouble: () => {}, limits: { openCallsMax: 2_000 } });
});
afterEach(() => {
  journal.close();
  rmSync(folder, { recursive: true });
});

/** `count` calls that all end in one turn: they share rows in the file. */
async function turnOfCalls(name: string, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, i) => `${name}${i}`);
  for (const id of ids) byId(journal).begin(sampleBegin(id), () => {});
  await turn();
  for (const id of ids) byId(journal).end(sampleEnd(id), () => {});
  await turn();
}

test('batches of any size, also those that cut a turn in two, give every call once and in order', async () => {
  await turnOfCalls('a', 7);
  await turnOfCalls('b', 1);
  await turnOfCalls('c', 1_203);
  const reader = openJournalReader(file);
  const whole = reader.readEnded(0, 10_000);
  expect(whole).toMatchObject({ mark: 1_211, missing: 0 });
  for (const limit of [1, 2, 3, 500]) {
    const found: string[] = [];
    for (let mark = limit === 1 ? 1_190 : 0; ;) {
      const batch = reader.readEnded(mark, limit);
      if (batch.entries.length === 0) break;
      expect(batch.entries.length).toBeLessThanOrEqual(limit);
      found.push(...batch.entries.map((entry) => entry.callId));
      expect(batch.mark).toBe(mark + batch.entries.length);
      mark = batch.mark;
    }
    expect(found).toEqual(whole.entries.slice(limit === 1 ? 1_190 : 0).map((entry) => entry.callId));
  }
  reader.close();
});

test('a reader may go back to any number, and find there what it found before', async () => {
  for (const [name, count] of [
    ['a', 3],
    ['b', 1],
    ['c', 4],
  ] as const)
    await turnOfCalls(name, count);
  const reader = openJournalReader(file);
  const all = reader.readEnded(0, 100).entries.map((entry) => entry.callId);
  expect(all).toHaveLength(8);
  for (const after of [8, 3, 5, 0, 7, 2, 4]) {
    expect(reader.readEnded(after, 2).entries.map((entry) => entry.callId)).toEqual(all.slice(after, after + 2));
  }
  reader.close();
});

test('nothing new gives back the number asked for', () => {
  const reader = openJournalReader(file);
  expect(reader.readEnded(5, 10)).toEqual({ mark: 5, entries: [], missing: 0 });
  expect(reader.journalId).toBe(journal.journalId);
  reader.close();
});

test('calls that the journal no longer has are counted as missing', async () => {
  await turnOfCalls('a', 3);
  await turnOfCalls('b', 3);
  await turnOfCalls('c', 1);
  const db = new DatabaseSync(file);
  db.exec('DELETE FROM turns WHERE end_seq = 3 AND count > 0');
  db.close();
  const reader = openJournalReader(file);
  expect(reader.readEnded(1, 2)).toMatchObject({ mark: 5, missing: 2 });
  expect(reader.readEnded(5, 9)).toMatchObject({ mark: 7, missing: 0 });
  reader.close();
});

test('a reader that stopped early holds nothing back: the writer can still cut its write-ahead file', async () => {
  for (const name of ['a', 'b', 'c']) await turnOfCalls(name, 3);
  const reader = openJournalReader(file);
  reader.readEnded(0, 2);
  const db = new DatabaseSync(file);
  expect(db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()).toMatchObject({ busy: 0, log: 0 });
  db.close();
  reader.close();
});

test('a journal whose service is stopped can be read, and a missing one is told', async () => {
  await turnOfCalls('a', 2);
  journal.close();
  const reader = openJournalReader(file);
  expect(reader.readEnded(0, 9).entries).toHaveLength(2);
  reader.close();
  expect(() => openJournalReader(join(folder, 'none.db'))).toThrow(/none\.db can't be opened/);
});
