import { byId } from './contract/by-id.ts';
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { CallBegin } from '../domain/usage/call.ts';
import type { Usage } from '../domain/usage/usage.ts';
import { openBreakableLog } from './contract/breakable-log.ts';
import { turn } from './contract/journal-contract.ts';
import { sampleBegin, sampleEnd, sampleLost, sampleUsage } from './contract/sample-calls.ts';
import { openJournalReader } from './journal-reader.ts';
import { openJournal } from './open-journal.ts';
import type { JournalLimits } from './open-journal.ts';
import { listSegments, segmentPath } from './segments.ts';
import type { TurnJournal } from './turn-journal.ts';
import { HOUR_MS } from '../domain/time/units.ts';

/** A few calls with large tags fill a segment of this size. */
const SEGMENT_BYTES = 100_000;
const ONE_CALL_BYTES = 45_000;

let base: string;
let folder: string;
let now: number;
let opened: TurnJournal[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  base = mkdtempSync(join(tmpdir(), 'tollbook-recovery-'));
  folder = join(base, 'journal');
  now = 1_700_000_000_000;
  opened = [];
});
afterEach(() => {
  for (const journal of opened) journal.close();
  rmSync(base, { recursive: true });
  vi.useRealTimers();
});

function open(limits: Partial<JournalLimits> = {}, sync: 'normal' | 'full' = 'normal', at = folder): TurnJournal {
  const small = { segmentBytes: SEGMENT_BYTES, ...limits };
  const journal = openJournal({ folder: at, sync, clock: () => now, onProblem: () => {}, limits: small });
  opened.push(journal);
  return journal;
}

/** The files as the death of the process would leave them now. */
function copyAsAfterCrash(name: string, from = folder): string {
  const copy = join(base, name);
  cpSync(from, copy, { recursive: true });
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

describe('after a process died', () => {
  test('calls without an end are ended as lost, once, with their early usage', async () => {
    const journal = open();
    await callsThatEnd(journal, ['done']);
    for (const id of ['plain', 'noted']) byId(journal).begin(sampleBegin(id), ignore);
    await turn();
    byId(journal).note('noted', sampleUsage);
    await turn();
    const crashed = copyAsAfterCrash('crashed');

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

  test('the journal keeps its name and its numbers continue', async () => {
    const journal = open();
    await callsThatEnd(journal, ['a', 'b']);
    const crashed = copyAsAfterCrash('crashed');
    const next = open({}, 'normal', crashed);
    expect([next.journalId, next.endSeq]).toEqual([journal.journalId, 2]);
  });

  test('a clean close leaves no uncertainReason, and with full sync neither does a crash', async () => {
    const journal = open({}, 'full');
    await callsThatEnd(journal, ['a']);
    const crashed = copyAsAfterCrash('crashed');
    journal.close();
    expect(open().recover(sampleLost).gap).toBe(false);
    expect(open({}, 'full', crashed).recover(sampleLost).gap).toBe(false);
  });

  test('new calls may begin before the old ones are ended', async () => {
    const journal = open();
    byId(journal).begin(sampleBegin('old'), ignore);
    await turn();
    const crashed = copyAsAfterCrash('crashed');
    const next = open({}, 'normal', crashed);
    byId(next).begin(sampleBegin('new'), ignore);
    await turn();
    expect(next.recover(sampleLost).lost).toBe(1);
    byId(next).end(sampleEnd('new'), ignore);
    await turn();
    expect(readIds(crashed)).toEqual(['old', 'new']);
  });

  test('lost calls that the disk cannot store yet are written when it can', async () => {
    const journal = open();
    byId(journal).begin(sampleBegin('old'), ignore);
    await turn();
    const crashed = copyAsAfterCrash('crashed');
    const { journal: next, breakWrites, mendWrites } = openBreakableLog({ folder: crashed, sync: 'normal' });
    opened.push(next);
    breakWrites();
    expect(next.recover(sampleLost).lost).toBe(1);
    expect(next.problem).toMatch(/can't grow/);
    mendWrites();
    vi.advanceTimersByTime(10_000);
    expect(next.problem).toBeNull();
    expect(readIds(crashed)).toEqual(['old']);
  });
});

/** Bytes that a start has to read to know which calls are open. */
function bytesToRead(at: string): number {
  return statSync(segmentPath(at, listSegments(at).at(-1) ?? 0)).size;
}

/** Large tags, so that few calls make a long file. */
const large = (id: string): CallBegin => sampleBegin(id, { tags: { large: 'x'.repeat(20_000) } });

describe('the calls read at a start', () => {
  test('stay bounded for any duration of a call and any number of other calls, and the call is found', async () => {
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
      expect(bytesToRead(folder)).toBeLessThan(SEGMENT_BYTES + ONE_CALL_BYTES);
    }
    const crashed = copyAsAfterCrash('crashed');
    const lost: [CallBegin, Usage | null][] = [];
    const settle = (begin: CallBegin, early: Usage | null): ReturnType<typeof sampleLost> => {
      lost.push([begin, early]);
      return sampleLost(begin, early);
    };
    expect(open({}, 'normal', crashed).recover(settle).lost).toBe(1);
    expect(lost).toEqual([[sampleBegin('long'), sampleUsage]]);
    expect(readIds(crashed)).toEqual([...Array.from({ length: 200 }, (_, i) => `short-${i}`), 'long']);
  });

  test('include ends that wait for the disk, and calls of an earlier process, until they are ended', async () => {
    const journal = open();
    for (const id of ['left', 'waits']) byId(journal).begin(sampleBegin(id), ignore);
    await turn();
    const crashed = copyAsAfterCrash('crashed');
    const next = open({}, 'normal', crashed);
    for (let i = 0; i < 120; i += 1) {
      byId(next).begin(large(`short-${i}`), ignore);
      await turn();
      byId(next).end(sampleEnd(`short-${i}`), ignore);
      await turn();
    }
    const again = copyAsAfterCrash('again', crashed);
    expect(open({}, 'normal', again).recover(sampleLost).lost).toBe(2);
    expect(next.recover(sampleLost).lost).toBe(2);
  });

  test('are exactly the open calls, in any order of the other ends', async () => {
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
    open({}, 'normal', copyAsAfterCrash('crashed')).recover((begin, early) => {
      lost.push(begin.callId);
      return sampleLost(begin, early);
    });
    expect(lost.toSorted()).toEqual(under.toSorted());
  });

  test('are not deleted with the shipped calls', async () => {
    const journal = open({ keepMs: -1 });
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
      vi.advanceTimersByTime(60_000);
      expect(listSegments(folder)).toHaveLength(1);
      const crashed = open({}, 'normal', copyAsAfterCrash(`crashed-${round}`));
      expect(crashed.recover(sampleLost).lost).toBe(under.length);
    }
  });

  test('grow with the number of open calls, not with restarts', async () => {
    let at = folder;
    for (let restart = 0; restart < 8; restart += 1) {
      const journal = open({}, 'normal', at);
      for (let i = 0; i < 3; i += 1) await callsThatEnd(journal, [`${restart}-${i}`]);
      byId(journal).begin(large(`open-${restart}`), ignore);
      await turn();
      at = copyAsAfterCrash(`restart-${restart}`, at);
      open({}, 'normal', at).recover(sampleLost);
      expect(bytesToRead(at)).toBeLessThan(2 * ONE_CALL_BYTES);
    }
    expect(readIds(at)).toHaveLength(8 * 4);
  });

  test('may come from an earlier process, if the next one died before it began', async () => {
    const journal = open();
    await callsThatEnd(journal, ['a']);
    byId(journal).begin(sampleBegin('b'), ignore);
    await turn();
    const crashed = copyAsAfterCrash('crashed');
    writeFileSync(join(crashed, 'unfinished'), 'tollbook-journal\t1\t');
    const next = open({}, 'normal', crashed);
    expect(next.recover(sampleLost)).toEqual({ lost: 1, gap: true });
    expect(readdirSync(crashed)).toEqual(['000001.log', '000002.log']);
  });
});

describe('calls in flight', () => {
  test('leave nothing behind: the journal does not grow with completed calls', async () => {
    const journal = open({ keepMs: -1 });
    for (let round = 0; round < 100; round += 1) {
      await callsThatEnd(journal, [`${round}-a`, `${round}-b`, `${round}-c`]);
      journal.shipped(journal.endSeq);
      vi.advanceTimersByTime(2_000);
      expect(listSegments(folder)).toHaveLength(1);
    }
  });

  test('stay correct if ends and begins share turns that fail and succeed', async () => {
    const { journal, breakWrites, mendWrites } = openBreakableLog({ folder, sync: 'normal' });
    opened.push(journal);
    for (const id of ['a', 'b', 'c']) byId(journal).begin(sampleBegin(id), ignore);
    await turn();
    breakWrites();
    byId(journal).end(sampleEnd('a'), ignore);
    byId(journal).begin(sampleBegin('refused'), ignore);
    byId(journal).end(sampleEnd('b'), ignore);
    await turn();
    mendWrites();
    vi.advanceTimersByTime(10_000);
    for (const id of ['d', 'e', 'f']) byId(journal).begin(sampleBegin(id), ignore);
    await turn();
    const crashed = copyAsAfterCrash('crashed');
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
  test('are kept for a while and then deleted, but never one that is not in the store', async () => {
    // Each turn fills a segment.
    const journal = open({ keepMs: HOUR_MS, segmentBytes: 1 });
    for (const id of numbered(20)) await callsThatEnd(journal, [id]);
    journal.shipped(12);
    vi.advanceTimersByTime(HOUR_MS / 2);
    expect(readIds(folder)).toHaveLength(20);
    now += HOUR_MS + 1;
    journal.shipped(12);
    vi.advanceTimersByTime(60_000);
    expect(readIds(folder)).toEqual(numbered(20).slice(12));
  });

  test('are deleted earlier above the maximum', async () => {
    const journal = open({ keepMs: HOUR_MS, segmentBytes: 1, keepBytesMax: 5_000 });
    for (const id of numbered(40)) await callsThatEnd(journal, [id]);
    journal.shipped(40);
    vi.advanceTimersByTime(60_000);
    const sizes = listSegments(folder).map((number) => statSync(segmentPath(folder, number)).size);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeLessThanOrEqual(5_000);
    expect(bytes).toBeGreaterThan(3_000);
    expect(readIds(folder).at(-1)).toBe('call-39');
  });

  test('leave their last number behind, so that it is never reused', async () => {
    const journal = open({ keepMs: -1, segmentBytes: 1 });
    await callsThatEnd(journal, ['a', 'b']);
    await callsThatEnd(journal, ['c']);
    journal.shipped(3);
    vi.advanceTimersByTime(60_000);
    expect(readIds(folder)).toEqual(['c']);
    journal.close();
    const next = open({ keepMs: -1, segmentBytes: 1 });
    next.shipped(3);
    vi.advanceTimersByTime(60_000);
    expect(readIds(folder)).toEqual([]);
    expect(next.endSeq).toBe(3);
    next.close();
    expect(open().endSeq).toBe(3);
  });

  test('keep their numbers if the journal lost its end: later ends continue after the position of the store', async () => {
    const journal = open();
    await callsThatEnd(journal, ['a']);
    const older = copyAsAfterCrash('older');
    await callsThatEnd(journal, ['b', 'c']);

    const next = open({}, 'full', older);
    next.shipped(3);
    expect(next.recover(sampleLost).gap).toBe(true);
    await callsThatEnd(next, ['d']);
    expect(next.endSeq).toBe(4);
    expect(readIds(older, 3)).toEqual(['d']);
  });
});
