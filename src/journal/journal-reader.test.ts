import { byId } from './contract/by-id.ts';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { turn } from './contract/journal-contract.ts';
import { sampleBegin, sampleEnd } from './contract/sample-calls.ts';
import { openJournalReader } from './journal-reader.ts';
import { openJournal } from './open-journal.ts';
import { listSegments, readTurn, segmentPath, type TurnLine } from './segments.ts';
import type { TurnJournal } from './turn-journal.ts';

let base: string;
let folder: string;
let journal: TurnJournal;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'tollbook-reader-'));
  folder = join(base, 'journal');
  journal = open();
});
afterEach(() => {
  journal.close();
  rmSync(base, { recursive: true });
});

/** A few turns fill a segment. */
function open(): TurnJournal {
  const limits = { openCallsMax: 2_000, segmentBytes: 1 };
  return openJournal({ folder, sync: 'normal', clock: () => 0, onProblem: () => {}, limits });
}

/** `count` calls that all end in one turn: they share a line in the file. */
async function turnOfCalls(name: string, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, i) => `${name}${i}`);
  for (const id of ids) byId(journal).begin(sampleBegin(id), () => {});
  await turn();
  for (const id of ids) byId(journal).end(sampleEnd(id), () => {});
  await turn();
}

/** Turns of a segment in which calls ended. */
function endedIn(segment: number): TurnLine[] {
  const lines = readFileSync(segmentPath(folder, segment), 'utf8').split('\n');
  return lines.flatMap((line) => readTurn(line.split('\t').slice(0, -1)) ?? []).filter(({ count }) => count > 0);
}

/** The first segment with an end in it that is not the oldest, and how many ends come before it. */
function segmentWithin(): { segment: number; before: number; count: number } {
  for (const segment of listSegments(folder).slice(1)) {
    const turns = endedIn(segment);
    const before = turns.reduce((least, { endSeq, count }) => Math.min(least, endSeq - count), Infinity);
    const count = turns.reduce((sum, turnLine) => sum + turnLine.count, 0);
    if (count > 0) return { segment, before, count };
  }
  throw new Error('All ends are in one segment.');
}

test('batches of any size, even within a turn, return every call once and in order', async () => {
  await turnOfCalls('a', 7);
  await turnOfCalls('b', 1);
  await turnOfCalls('c', 1_203);
  const reader = openJournalReader(folder);
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

test('a reader can go back to any number and finds the same calls', async () => {
  for (const [name, count] of [
    ['a', 3],
    ['b', 1],
    ['c', 4],
  ] as const)
    await turnOfCalls(name, count);
  const reader = openJournalReader(folder);
  const all = reader.readEnded(0, 100).entries.map((entry) => entry.callId);
  expect(all).toHaveLength(8);
  for (const after of [8, 3, 5, 0, 7, 2, 4]) {
    expect(reader.readEnded(after, 2).entries.map((entry) => entry.callId)).toEqual(all.slice(after, after + 2));
  }
  reader.close();
});

test('without new calls the requested number is returned', () => {
  const reader = openJournalReader(folder);
  expect(reader.readEnded(5, 10)).toEqual({ mark: 5, entries: [], refused: [], missing: 0 });
  expect(reader.journalId).toBe(journal.journalId);
  reader.close();
});

test('calls deleted from the journal are counted as missing', async () => {
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) await turnOfCalls(name, 3);
  const { segment, before, count } = segmentWithin();
  rmSync(segmentPath(folder, segment));
  const reader = openJournalReader(folder);
  expect(reader.readEnded(0, 100)).toMatchObject({ mark: 24, missing: count });
  expect(reader.readEnded(before, 100)).toMatchObject({ mark: 24, missing: count });
  expect(reader.readEnded(before + 1, 100)).toMatchObject({ mark: 24, missing: count - 1 });
  expect(reader.readEnded(before + count, 100)).toMatchObject({ mark: 24, missing: 0 });
});

test('a reader whose segment is deleted continues with the next', async () => {
  await turnOfCalls('a', 2);
  const reader = openJournalReader(folder);
  const { mark } = reader.readEnded(0, 9);
  const read = listSegments(folder);
  journal.close();
  journal = open();
  await turnOfCalls('b', 2);
  for (const number of read) rmSync(segmentPath(folder, number));
  const { entries, missing } = reader.readEnded(mark, 9);
  expect([entries.map(({ callId }) => callId), missing]).toEqual([['b0', 'b1'], 0]);
});

test('an incomplete line is not read until it is complete', async () => {
  await turnOfCalls('a', 2);
  journal.close();
  const newest = segmentPath(folder, listSegments(folder).at(-1) ?? 0);
  const bytes = readFileSync(newest);
  const lines = bytes.toString('latin1').trimEnd().split('\n');
  const ended = lines.findIndex((line) => line.startsWith('2\t2\t'));
  const begin = lines.slice(0, ended).join('\n').length + 1;
  const end = begin + (lines[ended]?.length ?? 0) + 1;
  const reader = openJournalReader(folder);
  truncateSync(newest, begin);
  for (let at = begin; at < end; at += 1) {
    expect(reader.readEnded(0, 9)).toEqual({ mark: 0, entries: [], refused: [], missing: 0 });
    appendFileSync(newest, bytes.subarray(at, at + 1));
  }
  expect(reader.readEnded(0, 9)).toMatchObject({ mark: 2, missing: 0 });
});

test('a segment that ends too early before another one is reported and not skipped', async () => {
  for (const name of ['a', 'b', 'c', 'd', 'e']) await turnOfCalls(name, 3);
  const path = segmentPath(folder, segmentWithin().segment);
  truncateSync(path, statSync(path).size - 10);
  expect(() => openJournalReader(folder).readEnded(0, 99)).toThrow(/damaged in .*\.log: stop the service/);
});

test('a journal of a stopped service can be read, and a missing one is reported', async () => {
  await turnOfCalls('a', 2);
  journal.close();
  const reader = openJournalReader(folder);
  expect(reader.readEnded(0, 9).entries).toHaveLength(2);
  reader.close();
  expect(() => openJournalReader(join(base, 'none'))).toThrow(/none can't be opened/);
});
