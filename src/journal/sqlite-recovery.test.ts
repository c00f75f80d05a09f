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

/** Characters that a start would have to read to know which calls are open. */
function tailLength(at: string): number {
  const db = new DatabaseSync(at, { readOnly: true });
  const row = db
    .prepare(
      `SELECT sum(length(ended) + length(opened)) AS tail FROM turns
       WHERE turn >= (SELECT coalesce(max(turn), 0) FROM turns WHERE whole = 1)`,
    )
    .get();
  db.close();
  return Number(row?.['tail']);
}

const MIB = 1024 * 1024;
/** Large tags, so that few calls make a long file. */
const large = (id: string): CallBegin => sampleBegin(id, { tags: { large: 'x'.repeat(20_000) } });

describe('what a start reads', () => {
  test('stays bounded however long a call takes and however many pass beside it, and it is found', async () => {
    const journal = open();
    byId(journal).begin(sampleBegin('long'), ignore);
    await turn();
    byId(journal).note('long', sampleUsage);
    await turn();
    for (let i = 0; i < 200; i += 1) {
      byId(journal).begin(large(`short-${i}`), ignore);
      await turn();
      byId(journal).end(sampleEnd(`short-${i}`), ignore);
      await turn();
      expect(tailLength(file)).toBeLessThan(1.1 * MIB);
    }
    const crashed = copyAsAfterCrash('crashed.db');
    const lost: [CallBegin, Usage | null][] = [];
    const settle = (begin: CallBegin, early: Usage | null): ReturnType<typeof sampleLost> => {
      lost.push([begin, early]);
      return sampleLost(begin, early);
    };
    expect(open({}, 'normal', crashed).recover(settle).lost).toBe(1);
    expect(lost).toEqual([[sampleBegin('long'), sampleUsage]]);
    expect(readIds(crashed)).toEqual([...Array.from({ length: 200 }, (_, i) => `short-${i}`), 'long']);
  });

  test('holds ends that wait for the disk, and calls that an earlier process left, until they are ended', async () => {
    const journal = open();
    for (const id of ['left', 'waits']) byId(journal).begin(sampleBegin(id), ignore);
    await turn();
    const crashed = copyAsAfterCrash('crashed.db');
    const next = open({}, 'normal', crashed);
    for (let i = 0; i < 120; i += 1) {
      byId(next).begin(large(`short-${i}`), ignore);
      await turn();
      byId(next).end(sampleEnd(`short-${i}`), ignore);
      await turn();
    }
    const again = join(folder, 'again.db');
    for (const suffix of ['', '-wal']) copyFileSync(crashed + suffix, again + suffix);
    expect(open({}, 'normal', again).recover(sampleLost).lost).toBe(2);
    expect(next.recover(sampleLost).lost).toBe(2);
  });

  test('has exactly the open calls, in whatever order the others ended', async () => {
    const journal = open();
    const under: string[] = [];
    for (let i = 0; i < 150; i += 1) {
      byId(journal).begin(large(`call-${i}`), ignore);
      under.push(`call-${i}`);
      await turn();
      if (under.length <= 8) continue;
      const [ended = ''] = under.splice((i * 5) % 8, 1);
      byId(journal).end(sampleEnd(ended), ignore);
    }
    await turn();
    const lost: string[] = [];
    open({}, 'normal', copyAsAfterCrash('crashed.db')).recover((begin, early) => {
      lost.push(begin.callId);
      return sampleLost(begin, early);
    });
    expect(lost.toSorted()).toEqual(under.toSorted());
  });

  test('is not deleted with the calls that were shipped', async () => {
    const journal = open({ keepMs: -1, keepRowsMax: 0 });
    const under: string[] = [];
    for (let round = 0; round < 12; round += 1) {
      under.push(`long-${round}`);
      byId(journal).begin(sampleBegin(`long-${round}`), ignore);
      await turn();
      for (let i = 0; i < 10; i += 1) {
        byId(journal).begin(large(`${round}-${i}`), ignore);
        await turn();
        byId(journal).end(sampleEnd(`${round}-${i}`), ignore);
        await turn();
      }
      journal.shipped(journal.endSeq);
      vi.advanceTimersByTime(round % 3 === 0 ? 1_000 : 60_000);
      expect(readIds(file).length).toBeLessThanOrEqual(10);
      const crashed = open({}, 'normal', copyAsAfterCrash(`crashed-${round}.db`));
      expect(crashed.recover(sampleLost).lost).toBe(under.length);
    }
  });

  test('grows with the calls that are open at once, not with restarts', async () => {
    let at = file;
    for (let restart = 0; restart < 8; restart += 1) {
      const journal = open({}, 'normal', at);
      for (let i = 0; i < 15; i += 1) {
        byId(journal).begin(large(`${restart}-${i}`), ignore);
        await turn();
        byId(journal).end(sampleEnd(`${restart}-${i}`), ignore);
        await turn();
      }
      const next = join(folder, `restart-${restart}.db`);
      for (const suffix of ['', '-wal']) copyFileSync(at + suffix, next + suffix);
      at = next;
      expect(tailLength(at)).toBeLessThan(1.1 * MIB);
    }
  });
});

describe('calls in flight', () => {
  test('leave nothing behind: the file does not grow with the calls that passed', async () => {
    const journal = open({ keepMs: -1, keepRowsMax: 0 });
    const sizes: number[] = [];
    for (let round = 0; round < 30; round += 1) {
      const ids = numbered(10).map((id) => `${round}-${id}`);
      await callsThatEnd(journal, ids);
      journal.shipped(journal.endSeq);
      vi.advanceTimersByTime(2_000);
      const db = new DatabaseSync(file, { readOnly: true });
      sizes.push(Number(db.prepare('PRAGMA page_count').get()?.['page_count']));
      db.close();
    }
    expect(Math.max(...sizes)).toBeLessThanOrEqual(20);
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
