import { byId } from './contract/by-id.ts';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TollbookError } from '../core/errors.ts';
import { turn } from './contract/journal-contract.ts';
import { sampleBegin, sampleEnd, sampleLost } from './contract/sample-calls.ts';
import { openJournalReader } from './journal-reader.ts';
import { openJournal } from './sqlite-journal.ts';
import type { JournalLimits } from './sqlite-journal.ts';
import type { TurnJournal } from './turn-journal.ts';

let folder: string;
let file: string;
let troubles: (string | null)[];
let opened: TurnJournal[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  folder = mkdtempSync(join(tmpdir(), 'tollbook-damage-'));
  file = join(folder, 'journal.db');
  troubles = [];
  opened = [];
});
afterEach(() => {
  for (const journal of opened) journal.close();
  rmSync(folder, { recursive: true });
  vi.useRealTimers();
});

function open(at = file, limits: Partial<JournalLimits> = {}): TurnJournal {
  const onTrouble = (trouble: string | null): void => void troubles.push(trouble);
  const journal = openJournal({ file: at, sync: 'normal', clock: () => 0, onTrouble, limits });
  opened.push(journal);
  return journal;
}

const ignore = (): void => {};

async function callThatEnds(journal: TurnJournal, id: string): Promise<void> {
  byId(journal).begin(sampleBegin(id), ignore);
  await turn();
  byId(journal).end(sampleEnd(id), ignore);
  await turn();
}

function readIds(at = file): string[] {
  const reader = openJournalReader(at);
  try {
    return reader.readEnded(0, 100_000).entries.map((entry) => entry.callId);
  } finally {
    reader.close();
  }
}

function openError(at = file): TollbookError {
  try {
    open(at);
  } catch (error) {
    if (error instanceof TollbookError) return error;
    throw error;
  }
  throw new Error('The journal opened.');
}

/** Overwrites bytes in the middle of a file, as a failing disk would. */
function damage(at: string, from: number, length: number): void {
  const bytes = readFileSync(at);
  bytes.fill(0xa5, from, from + length);
  writeFileSync(at, bytes);
}

/** Main file and write-ahead file as they lie on the disk now. */
function copyFiles(name: string): string {
  const copy = join(folder, name);
  for (const suffix of ['', '-wal']) if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix);
  return copy;
}

describe('a full disk', () => {
  test('refuses calls, keeps the ends, and is over when room is made', async () => {
    // SQLite gives the same error when it reaches this size and when the disk has no room.
    const journal = open(file, { bytesMax: 30 * 4_096, keepMs: -1, keepRowsMax: 0 });
    const begun: string[] = [];
    const begin = async (id: string): Promise<void> => {
      byId(journal).begin(sampleBegin(id), (error) => error ?? begun.push(id));
      await turn();
    };
    await begin('held');
    for (let i = 0; journal.trouble === null; i += 1) {
      await begin(`call-${i}`);
      byId(journal).end(sampleEnd(`call-${i}`), ignore);
      await turn();
    }
    byId(journal).end(sampleEnd('held'), ignore);
    await turn();
    expect(journal.trouble).toMatch(/can't grow: free space/);
    expect(begun.length).toBeGreaterThan(20);
    const before = journal.endSeq;
    expect(readIds()).toEqual(begun.slice(1, 1 + before));
    expect(journal.stats.waitingEnds).toBe(begun.length - before);

    journal.shipped(before);
    vi.advanceTimersByTime(60_000);
    expect(journal.trouble).toBeNull();
    expect(troubles).toEqual([expect.any(String), null]);
    expect(readIds().at(-1)).toBe('held');
    expect(journal.endSeq).toBe(begun.length);
    expect(journal.stats).toMatchObject({ openCalls: 0, waitingEnds: 0 });
  });

  test('that is full in the middle of a turn takes back the whole turn', async () => {
    const journal = open(file, { bytesMax: 60 * 4_096, openCallsMax: 1_000 });
    const old = Array.from({ length: 100 }, (_, i) => `old-${i}`);
    for (const id of old) await callThatEnds(journal, id);
    for (const id of ['a', 'b', 'c']) byId(journal).begin(sampleBegin(id), ignore);
    await turn();

    const told: boolean[] = [];
    for (const id of ['a', 'b']) byId(journal).end(sampleEnd(id), (error) => told.push(error === null));
    for (let i = 0; i < 30; i += 1) {
      const large = sampleBegin(`large-${i}`, { tags: { large: 'x'.repeat(10_000) } });
      byId(journal).begin(large, (error) => told.push(error === null));
    }
    await turn();
    expect(journal.trouble).toMatch(/can't grow/);
    expect(told).toEqual(Array.from({ length: 32 }, () => false));
    expect(readIds()).toEqual(old);

    vi.advanceTimersByTime(60_000);
    expect(journal.trouble).toBeNull();
    const after = Array.from({ length: 40 }, (_, i) => `after-${i}`);
    for (const id of after) byId(journal).begin(sampleBegin(id), ignore);
    await turn();
    const crashed = open(copyFiles('crashed.db'));
    expect(crashed.recover(sampleLost).lost).toBe(41);
    const found = readIds(join(folder, 'crashed.db')).slice(old.length);
    expect(found.slice(0, 2)).toEqual(['a', 'b']);
    expect(found.slice(2).toSorted()).toEqual(['c', ...after].toSorted());
  });

  test('that is full in the middle of a turn of several rows gives no number away', async () => {
    const journal = open(file, { bytesMax: 200 * 4_096, openCallsMax: 1_000 });
    const ids = Array.from({ length: 600 }, (_, i) => `call-${i}`);
    for (const id of ids) byId(journal).begin(sampleBegin(id), ignore);
    await turn();
    ids.forEach((id, i) => byId(journal).end(sampleEnd(id, { requestId: 'x'.repeat(i < 500 ? 1 : 20_000) }), ignore));
    await turn();
    expect(journal.trouble).toMatch(/can't grow/);
    expect(journal.stats.waitingEnds).toBe(600);
    expect([journal.endSeq, readIds().length]).toEqual([0, 0]);
    expect(open(copyFiles('crashed.db')).recover(sampleLost).lost).toBe(600);
  });
});

describe('a file that may not be written', () => {
  /** Root may write everything: it steps down for the test. */
  function asNobody(work: () => void): void {
    if (process.getuid?.() !== 0) return work();
    process.seteuid?.(65_534);
    try {
      work();
    } finally {
      process.seteuid?.(0);
    }
  }

  test.runIf(process.platform !== 'win32')('opens with trouble that says whose rights to check', async () => {
    await callThatEnds(open(), 'a');
    opened.pop()?.close();
    chmodSync(folder, 0o555);
    chmodSync(file, 0o444);
    asNobody(() => {
      const error = openError();
      expect(error.type).toBe('unavailable');
      expect(error.message).toMatch(/can't be opened for writing: check .* owns it/);
    });
    chmodSync(folder, 0o755);
    chmodSync(file, 0o644);
    expect(readIds()).toEqual(['a']);
  });

  test('a folder in its place is told as such', () => {
    mkdirSync(file);
    expect(openError().message).toMatch(/can't be opened/);
  });
});

describe('a locked file', () => {
  test('can not be opened, and says that another process has it', () => {
    open().close();
    const other = new DatabaseSync(file);
    other.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    expect(openError().message).toMatch(/locked by another process/);
    other.close();
  });

  test('that is only written by another opens with trouble, and works when that ends', async () => {
    open().close();
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    const journal = open();
    expect(journal.trouble).toMatch(/locked by another process/);
    other.exec('ROLLBACK');
    other.close();
    vi.advanceTimersByTime(10_000);
    await callThatEnds(journal, 'a');
    expect(readIds()).toEqual(['a']);
  });
});

describe('a damaged file', () => {
  test('that is no journal at all is reported and left as it is', () => {
    writeFileSync(file, 'a letter to a friend, not a database. '.repeat(200));
    const before = readFileSync(file);
    const error = openError();
    expect(error.message).toMatch(/damaged: stop the service, move .*journal\.db-wal.* aside/);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('whose first page is overwritten is reported and left as it is', async () => {
    await callThatEnds(open(), 'a');
    opened.pop()?.close();
    damage(file, 0, 2_000);
    const size = statSync(file).size;
    expect(openError().message).toMatch(/damaged/);
    expect(statSync(file).size).toBe(size);
  });

  test('whose rows are overwritten is reported by whoever reads them', async () => {
    const journal = open();
    for (let i = 0; i < 50; i += 1) await callThatEnds(journal, `call-${i}`);
    journal.close();
    damage(file, 4_096 * 4, statSync(file).size - 4_096 * 4);
    expect(() => readIds()).toThrow(/damaged/);
  });

  test('from a newer version is not touched', () => {
    open().close();
    const db = new DatabaseSync(file);
    db.exec('PRAGMA user_version = 99');
    db.close();
    expect(openError().message).toMatch(/made by a newer Tollbook/);
  });
});

describe('a damaged tail', () => {
  const COUNT = 12;
  const expected = Array.from({ length: COUNT }, (_, i) => `call-${i}`);

  async function crashedCopy(): Promise<string> {
    const journal = open();
    for (const id of expected) await callThatEnds(journal, id);
    return copyFiles('crashed.db');
  }

  /** Every cut or flip leaves a beginning of the calls, whole, in order; what is cut is told as a gap. */
  function expectPrefix(copy: string): string[] {
    const journal = open(copy);
    expect(journal.recover(sampleLost).gap).toBe(true);
    const found = readIds(copy);
    expect(found).toEqual(expected.slice(0, found.length));
    expect(journal.endSeq).toBe(found.length);
    return found;
  }

  test('cut anywhere loses only what came after the cut', async () => {
    const crashed = await crashedCopy();
    const size = statSync(`${crashed}-wal`).size;
    const counts = [0.2, 0.5, 0.7, 0.9, 0.999, 1].map((part) => {
      const copy = copyFiles(`cut-${part}.db`);
      truncateSync(`${copy}-wal`, Math.floor(size * part));
      return expectPrefix(copy).length;
    });
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(counts.at(-1)).toBe(COUNT);
    expect(counts[1]).toBeLessThan(COUNT);
  });

  test('with flipped bytes loses only what came after them', async () => {
    const crashed = await crashedCopy();
    const size = statSync(`${crashed}-wal`).size;
    for (const part of [0.3, 0.6, 0.95]) {
      const copy = copyFiles(`flip-${part}.db`);
      damage(`${copy}-wal`, Math.floor(size * part), 64);
      expect(expectPrefix(copy).length).toBeLessThan(COUNT);
    }
  });
});
