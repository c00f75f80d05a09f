import { byId } from './contract/by-id.ts';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { CallBegin } from '../core/call.ts';
import type { Usage } from '../core/usage.ts';
import { turn } from './contract/journal-contract.ts';
import { sampleBegin, sampleEnd, sampleLost, sampleUsage } from './contract/sample-calls.ts';
import { openJournalReader } from './journal-reader.ts';
import { openJournal } from './sqlite-journal.ts';
import type { JournalLimits } from './sqlite-journal.ts';
import type { TurnJournal } from './turn-journal.ts';

const HOUR_MS = 3_600_000;

let folder: string;
let file: string;
let now: number;
let opened: TurnJournal[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  folder = mkdtempSync(join(tmpdir(), 'tollbook-recovery-'));
  file = join(folder, 'journal.db');
  now = 1_700_000_000_000;
  opened = [];
});
afterEach(() => {
  for (const journal of opened) journal.close();
  rmSync(folder, { recursive: true });
  vi.useRealTimers();
});

function open(limits: Partial<JournalLimits> = {}, sync: 'normal' | 'full' = 'normal', at = file): TurnJournal {
  const journal = openJournal({ file: at, sync, clock: () => now, onTrouble: () => {}, limits });
  opened.push(journal);
  return journal;
}

/** The files as the death of the process would leave them now. */
function copyAsAfterCrash(name: string): string {
  const copy = join(folder, name);
  for (const suffix of ['', '-wal']) if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix);
  return copy;
}

const ignore = (): void => {};

async function callsThatEnd(journal: TurnJournal, ids: readonly string[]): Promise<void> {
  for (const id of ids) byId(journal).begin(sampleBegin(id), ignore);
  await turn();
  for (const id of ids) byId(journal).end(sampleEnd(id), ignore);
  await turn();
}

function readIds(at: string, after = 0): string[] {
  const reader = openJournalReader(at);
  try {
    return reader.readEnded(after, 100_000).entries.map((entry) => entry.callId);
  } finally {
    reader.close();
  }
}

const numbered = (count: number): string[] => Array.from({ length: count }, (_, i) => `call-${i}`);

describe('after the process died', () => {
  test('calls without an end are ended as lost, once, with the early usage they had', async () => {
    const journal = open();
    await callsThatEnd(journal, ['done']);
    for (const id of ['plain', 'noted']) byId(journal).begin(sampleBegin(id), ignore);
    await turn();
    byId(journal).note('noted', sampleUsage);
    await turn();
    const crashed = copyAsAfterCrash('crashed.db');

    const next = open({}, 'normal', crashed);
    const seen: [CallBegin, Usage | null][] = [];
    const settle = (begin: CallBegin, early: Usage | null): ReturnType<typeof sampleLost> => {
      seen.push([begin, early]);
      return sampleLost(begin, early);
    };
    expect(next.recover(settle)).toEqual({ lost: 2, gap: true });
    expect(seen).toEqual([
      [sampleBegin('plain'), null],
      [sampleBegin('noted'), sampleUsage],
    ]);
    expect(readIds(crashed)).toEqual(['done', 'plain', 'noted']);
    expect(next.recover(settle).lost).toBe(0);
    next.close();
    expect(open({}, 'normal', crashed).recover(settle)).toEqual({ lost: 0, gap: false });
  });

  test('the journal keeps its name and its numbers go on', async () => {
    const journal = open();
    await callsThatEnd(journal, ['a', 'b']);
    const crashed = copyAsAfterCrash('crashed.db');
    const next = open({}, 'normal', crashed);
    expect([next.journalId, next.endSeq]).toEqual([journal.journalId, 2]);
  });

  test('a clean close leaves no doubt, and under full sync neither does a crash', async () => {
    const journal = open({}, 'full');
    await callsThatEnd(journal, ['a']);
    const crashed = copyAsAfterCrash('crashed.db');
    journal.close();
    expect(open().recover(sampleLost).gap).toBe(false);
    expect(open({}, 'full', crashed).recover(sampleLost).gap).toBe(false);
  });

  test('new calls may begin before the old ones are ended', async () => {
    const journal = open();
    byId(journal).begin(sampleBegin('old'), ignore);
    await turn();
    const crashed = copyAsAfterCrash('crashed.db');
    const next = open({}, 'normal', crashed);
    byId(next).begin(sampleBegin('new'), ignore);
    await turn();
    expect(next.recover(sampleLost).lost).toBe(1);
    byId(next).end(sampleEnd('new'), ignore);
    await turn();
    expect(readIds(crashed)).toEqual(['old', 'new']);
  });

  test('lost calls that the disk does not take yet are written when it does', async () => {
    const journal = open();
    byId(journal).begin(sampleBegin('old'), ignore);
    await turn();
    const crashed = copyAsAfterCrash('crashed.db');
    const blocker = new DatabaseSync(crashed);
    const next = open({}, 'normal', crashed);
    blocker.exec('BEGIN IMMEDIATE');
    expect(next.recover(sampleLost).lost).toBe(1);
    expect(next.trouble).toMatch(/locked by another process/);
    blocker.exec('ROLLBACK');
    blocker.close();
    vi.advanceTimersByTime(10_000);
    expect(next.trouble).toBeNull();
    expect(readIds(crashed)).toEqual(['old']);
  });
});

describe('rows of calls in flight', () => {
  test('are reused, so that the file does not grow with the calls that passed', async () => {
    const journal = open({ keepMs: 0 });
    const slots: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      for (const id of numbered(10)) byId(journal).begin(sampleBegin(`${round}-${id}`), ignore);
      await turn();
      const db = new DatabaseSync(file, { readOnly: true });
      slots.push(Number(db.prepare('SELECT max(slot) AS slot FROM open_calls').get()?.['slot']));
      db.close();
      for (const id of numbered(10)) byId(journal).end(sampleEnd(`${round}-${id}`), ignore);
      await turn();
    }
    expect(Math.max(...slots)).toBeLessThanOrEqual(20);
  });

  test('stay right when ends and begins share turns that fail and succeed', async () => {
    const journal = open();
    for (const id of ['a', 'b', 'c']) byId(journal).begin(sampleBegin(id), ignore);
    await turn();
    const blocker = new DatabaseSync(file);
    blocker.exec('BEGIN IMMEDIATE');
    byId(journal).end(sampleEnd('a'), ignore);
    byId(journal).begin(sampleBegin('refused'), ignore);
    byId(journal).end(sampleEnd('b'), ignore);
    await turn();
    blocker.exec('ROLLBACK');
    blocker.close();
    vi.advanceTimersByTime(10_000);
    for (const id of ['d', 'e', 'f']) byId(journal).begin(sampleBegin(id), ignore);
    await turn();
    const crashed = copyAsAfterCrash('crashed.db');
    const lost: string[] = [];
    open({}, 'normal', crashed).recover((begin, early) => {
      lost.push(begin.callId);
      return sampleLost(begin, early);
    });
    expect(lost.toSorted()).toEqual(['c', 'd', 'e', 'f']);
    expect(readIds(crashed).slice(0, 2)).toEqual(['a', 'b']);
  });
});

describe('shipped calls', () => {
  test('are kept for a while and then deleted in slices, never one above the mark', async () => {
    const journal = open({ keepMs: HOUR_MS, pruneRowsMax: 4 });
    for (const id of numbered(20)) await callsThatEnd(journal, [id]);
    journal.shipped(12);
    vi.advanceTimersByTime(HOUR_MS / 2);
    expect(readIds(file)).toHaveLength(20);
    now += HOUR_MS + 1;
    journal.shipped(12);
    vi.advanceTimersByTime(1_000);
    expect(readIds(file).length).toBeGreaterThanOrEqual(15);
    vi.advanceTimersByTime(60_000);
    expect(readIds(file)).toEqual(numbered(20).slice(12));
  });

  test('go early beyond the most there may be', async () => {
    const journal = open({ keepMs: HOUR_MS, keepRowsMax: 5 });
    for (const id of numbered(20)) await callsThatEnd(journal, [id]);
    journal.shipped(20);
    vi.advanceTimersByTime(60_000);
    expect(readIds(file)).toEqual(numbered(20).slice(15));
  });

  test('leave their last number behind, so that it is never given again', async () => {
    const journal = open({ keepMs: 0, keepRowsMax: 0 });
    await callsThatEnd(journal, ['a', 'b']);
    await callsThatEnd(journal, ['c']);
    now += 1;
    journal.shipped(3);
    vi.advanceTimersByTime(60_000);
    expect(readIds(file)).toEqual(['c']);
    journal.close();
    expect(open().endSeq).toBe(3);
  });

  test('keep their numbers when the journal lost its tail: later ends go on after the mark of the store', async () => {
    const journal = open();
    await callsThatEnd(journal, ['a']);
    const older = copyAsAfterCrash('older.db');
    await callsThatEnd(journal, ['b', 'c']);

    const next = open({}, 'full', older);
    next.shipped(3);
    expect(next.recover(sampleLost).gap).toBe(true);
    await callsThatEnd(next, ['d']);
    expect(next.endSeq).toBe(4);
    expect(readIds(older, 3)).toEqual(['d']);
  });
});
