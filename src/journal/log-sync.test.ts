import { cpSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { byId } from './contract/by-id.ts';
import { turn } from './contract/journal-contract.ts';
import { sampleBegin, sampleEnd, sampleLost } from './contract/sample-calls.ts';
import { findJournalDamage } from './find-damage.ts';
import { openJournalReader } from './journal-reader.ts';
import { openJournal } from './open-journal.ts';
import type { TurnJournal } from './turn-journal.ts';

// No healthy disk fails to sync, so here the call itself is replaced.

const realSync = fs.fdatasyncSync;
let base: string;
let folder: string;
let synced: number;
let failing: boolean;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  base = mkdtempSync(join(tmpdir(), 'tollbook-sync-'));
  folder = join(base, 'journal');
  [synced, failing] = [0, false];
  fs.fdatasyncSync = (fd) => {
    if (failing) throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
    synced += 1;
    realSync(fd);
  };
  syncBuiltinESMExports();
});
afterEach(() => {
  fs.fdatasyncSync = realSync;
  syncBuiltinESMExports();
  rmSync(base, { recursive: true });
  vi.useRealTimers();
});

const ignore = (): void => {};

function open(sync: 'normal' | 'full', at = folder): TurnJournal {
  return openJournal({ folder: at, sync, clock: () => 0, onProblem: ignore });
}

async function callThatEnds(journal: TurnJournal, id: string): Promise<void> {
  byId(journal).begin(sampleBegin(id), ignore);
  await turn();
  byId(journal).end(sampleEnd(id), ignore);
  await turn();
}

function readIds(after: number): string[] {
  return openJournalReader(folder)
    .readEnded(after, 99)
    .entries.map(({ callId }) => callId);
}

test('each turn is synced with full sync, and none with normal sync', async () => {
  for (const [sync, perCall] of [
    ['normal', 0],
    ['full', 2],
  ] as const) {
    const journal = open(sync);
    synced = 0;
    for (const id of ['a', 'b', 'c']) await callThatEnds(journal, `${sync}-${id}`);
    expect(synced).toBe(3 * perCall);
    journal.close();
  }
});

test('with full sync a segment is allocated at the start; the unused room is no line and is removed at the close', async () => {
  const journal = open('full');
  const path = join(folder, '000001.log');
  const { size } = statSync(path);
  for (const id of ['a', 'b']) await callThatEnds(journal, id);
  expect(statSync(path).size).toBe(size);
  expect(readIds(0)).toEqual(['a', 'b']);
  expect(await findJournalDamage(folder)).toBeNull();
  const copy = join(base, 'crashed');
  cpSync(folder, copy, { recursive: true });
  journal.close();
  expect(readFileSync(path).includes(0)).toBe(false);

  const crashed = open('full', copy);
  expect(crashed.recover(sampleLost)).toEqual({ lost: 0, gap: false });
  expect(crashed.endSeq).toBe(2);
  expect(readFileSync(join(copy, '000001.log')).includes(0)).toBe(false);
  crashed.close();
});

test('a turn that cannot be synced is reported as failed, even if a reader has seen it, and no number is used twice', async () => {
  const journal = open('full');
  await callThatEnds(journal, 'a');
  for (const id of ['b', 'c']) byId(journal).begin(sampleBegin(id), ignore);
  await turn();
  failing = true;
  const callbacks: string[] = [];
  byId(journal).end(sampleEnd('b'), (error) => callbacks.push(error ? 'b failed' : 'b'));
  byId(journal).begin(sampleBegin('refused'), (error) => callbacks.push(error ? 'refused' : 'begun'));
  await turn();
  expect(callbacks.toSorted()).toEqual(['b failed', 'refused']);
  expect(journal.problem).toMatch(/disk .* reports errors \(EIO/);
  expect(readIds(1)).toEqual(['b']);
  cpSync(folder, join(base, 'crashed'), { recursive: true });

  failing = false;
  vi.advanceTimersByTime(60_000);
  expect(journal.problem).toBeNull();
  await callThatEnds(journal, 'd');
  // The store knows a call by its id, so it takes the second end of `b` for what it is.
  expect(readIds(2)).toEqual(['b', 'd']);
  journal.close();

  // It was in no later segment, so it never began; in the crash before, nobody can say.
  const next = open('full');
  expect(next.recover(sampleLost)).toEqual({ lost: 1, gap: false });
  expect(readIds(4)).toEqual(['c']);
  next.close();
  const crashed = open('full', join(base, 'crashed'));
  expect(crashed.recover(sampleLost).lost).toBe(2);
  crashed.close();
});
