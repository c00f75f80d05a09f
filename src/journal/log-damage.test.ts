import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TollbookError } from '../domain/errors.ts';
import { byId } from './contract/by-id.ts';
import { turn } from './contract/journal-contract.ts';
import { sampleBegin, sampleEnd, sampleLost } from './contract/sample-calls.ts';
import { findJournalDamage } from './find-damage.ts';
import { openJournalReader } from './journal-reader.ts';
import { openJournal } from './open-journal.ts';
import type { JournalLimits } from './open-journal.ts';
import { LineMaker } from './log-lines.ts';
import { listSegments, segmentPath } from './segments.ts';
import type { TurnJournal } from './turn-journal.ts';

let base: string;
let folder: string;
let problems: (string | null)[];
let opened: TurnJournal[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  base = mkdtempSync(join(tmpdir(), 'tollbook-damage-'));
  folder = join(base, 'journal');
  problems = [];
  opened = [];
});
afterEach(() => {
  for (const journal of opened) journal.close();
  rmSync(base, { recursive: true });
  vi.useRealTimers();
});

function open(at = folder, limits: Partial<JournalLimits> = {}): TurnJournal {
  const onProblem = (problem: string | null): void => void problems.push(problem);
  const journal = openJournal({ folder: at, sync: 'normal', clock: () => 0, onProblem, limits });
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

function readIds(at = folder): string[] {
  const reader = openJournalReader(at);
  try {
    return reader.readEnded(0, 100_000).entries.map((entry) => entry.callId);
  } finally {
    reader.close();
  }
}

function openError(at = folder): TollbookError {
  try {
    open(at);
  } catch (error) {
    if (error instanceof TollbookError) return error;
    throw error;
  }
  throw new Error('The journal opened.');
}

const newest = (at = folder): string => segmentPath(at, listSegments(at).at(-1) ?? 0);

function copyAs(name: string): string {
  const copy = join(base, name);
  rmSync(copy, { recursive: true, force: true });
  cpSync(folder, copy, { recursive: true });
  return copy;
}

describe('a full journal', () => {
  test('refuses calls, keeps the ends, and recovers when there is room', async () => {
    const journal = open(folder, { segmentBytes: 10_000, bytesMax: 100_000, roomBytes: 1_000, keepMs: -1 });
    const begun: string[] = [];
    const begin = async (id: string): Promise<void> => {
      byId(journal).begin(sampleBegin(id), (error) => error ?? begun.push(id));
      await turn();
    };
    await begin('held');
    for (let i = 0; journal.problem === null; i += 1) {
      await begin(`call-${i}`);
      byId(journal).end(sampleEnd(`call-${i}`), ignore);
      await turn();
    }
    byId(journal).end(sampleEnd('held'), ignore);
    await turn();
    expect(journal.problem).toMatch(/can't grow: it has reached its maximum size/);
    expect(begun.length).toBeGreaterThan(20);
    const before = journal.endSeq;
    expect(readIds()).toEqual(begun.slice(1, 1 + before));
    expect(journal.stats.waitingEnds).toBe(begun.length - before);

    journal.shipped(before);
    vi.advanceTimersByTime(60_000);
    expect(journal.problem).toBeNull();
    expect(problems).toEqual([expect.any(String), null]);
    expect(readIds().at(-1)).toBe('held');
    expect(journal.endSeq).toBe(begun.length);
    expect(journal.stats).toMatchObject({ openCalls: 0, waitingEnds: 0 });
  });
});

/** The kernel takes no byte of a file beyond this length from this process, as if the disk were full there. */
function limitFiles(bytes: number | 'unlimited'): void {
  execFileSync('/usr/bin/prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`]);
}

describe.runIf(process.platform === 'linux')('a full disk', () => {
  afterEach(() => limitFiles('unlimited'));

  test('in the middle of a turn leaves nothing of it, at any byte, and the next turn is complete', async () => {
    const journal = open();
    const expected: string[] = [];
    for (const [round, room] of [0, 1, 200, 700, 900, 5_000].entries()) {
      await callThatEnds(journal, `old-${round}`);
      for (const id of ['a', 'b']) byId(journal).begin(sampleBegin(`${id}-${round}`), ignore);
      await turn();
      const size = statSync(newest()).size;
      const callbacks: boolean[] = [];
      for (const id of ['a', 'b'])
        byId(journal).end(sampleEnd(`${id}-${round}`), (error) => callbacks.push(error === null));
      for (let i = 0; i < 30; i += 1)
        byId(journal).begin(sampleBegin(`refused-${round}-${i}`), (error) => callbacks.push(error === null));
      limitFiles(size + room);
      await turn();
      expect(callbacks).toEqual(Array.from({ length: 32 }, () => false));
      expect(journal.problem).toMatch(/can't grow: free space/);
      expect(statSync(newest()).size).toBe(size);
      expected.push(`old-${round}`);
      expect(readIds()).toEqual(expected);

      limitFiles('unlimited');
      vi.advanceTimersByTime(60_000);
      expect(journal.problem).toBeNull();
      expected.push(`a-${round}`, `b-${round}`);
    }
    await callThatEnds(journal, 'last');
    expect(readIds()).toEqual([...expected, 'last']);
    expect(open(copyAs('crashed')).recover(sampleLost).lost).toBe(0);
    expect(await findJournalDamage(folder)).toBeNull();
  });

  test('with room for a few lines is still full: the problem ends once, when there is room for many calls', async () => {
    const journal = open();
    await callThatEnds(journal, 'first');
    limitFiles(statSync(newest()).size + 10);
    await callThatEnds(journal, 'refused');
    expect(journal.problem).toMatch(/can't grow: free space/);
    for (const room of [100, 5_000, 100_000]) {
      limitFiles(statSync(newest()).size + room);
      vi.advanceTimersByTime(10_000);
      await callThatEnds(journal, `refused-${room}`);
    }
    expect(problems).toEqual([expect.stringMatching(/free space/)]);
    limitFiles(statSync(newest()).size + 1_000_000);
    vi.advanceTimersByTime(1_000);
    expect(problems).toEqual([expect.stringMatching(/free space/), null]);
    await callThatEnds(journal, 'last');
    expect(readIds()).toEqual(['first', 'last']);
    expect(await findJournalDamage(folder)).toBeNull();
  });

  test('without room for a new segment keeps the old one, and starts a new one when there is room', async () => {
    const journal = open(folder, { segmentBytes: 1 });
    const unfinished = join(folder, 'unfinished');
    symlinkSync('/dev/full', unfinished);
    for (let i = 0; journal.problem === null; i += 1) await callThatEnds(journal, `call-${i}`);
    expect(journal.problem).toMatch(/can't grow: free space/);
    rmSync(unfinished);
    vi.advanceTimersByTime(60_000);
    expect(journal.problem).toBeNull();
    await callThatEnds(journal, 'last');
    expect(readIds().at(-1)).toBe('last');
    expect(readIds()).toHaveLength(journal.endSeq);
  });
});

describe('a journal that cannot be written', () => {
  /** Root may write everything: it steps down for the test. */
  function asNobody(work: () => void): void {
    if (process.getuid?.() !== 0) return work();
    chmodSync(base, 0o755);
    process.seteuid?.(65_534);
    try {
      work();
    } finally {
      process.seteuid?.(0);
    }
  }

  test.runIf(process.platform !== 'win32')('opens with a problem that names the permissions to check', async () => {
    await callThatEnds(open(), 'a');
    opened.pop()?.close();
    chmodSync(folder, 0o555);
    chmodSync(newest(), 0o444);
    asNobody(() => expect(open().problem).toMatch(/can't be opened for writing: check .* owns it/));
    chmodSync(folder, 0o755);
    expect(readIds()).toEqual(['a']);
  });

  test('because a file is in its place is reported as such', () => {
    writeFileSync(folder, '');
    expect(openError().message).toMatch(/can't be opened: .* is not a folder/);
    expect(openError().type).toBe('unavailable');
  });
});

describe('a damaged journal', () => {
  test('that is not a journal is reported and left unchanged', () => {
    mkdirSync(folder);
    const foreign = segmentPath(folder, 7);
    writeFileSync(foreign, 'a letter to a friend, not a journal.\n'.repeat(200));
    const before = readFileSync(foreign);
    expect(openError().message).toMatch(/damaged in .*000007\.log: stop the service, move .*journal aside/);
    expect(readFileSync(foreign).equals(before)).toBe(true);
    expect(listSegments(folder)).toEqual([7]);
  });

  test('from a newer version is left unchanged', () => {
    open().close();
    const head = new LineMaker().make('tollbook-journal\t2\tsomething\telse\taltogether\tand more\t');
    writeFileSync(segmentPath(folder, 2), head);
    expect(openError().message).toMatch(/made by a newer Tollbook/);
  });

  test('with a segment of another journal is reported', async () => {
    await callThatEnds(open(), 'a');
    const other = copyAs('other');
    rmSync(folder, { recursive: true });
    open();
    cpSync(segmentPath(other, 1), segmentPath(folder, 2));
    expect(openError().message).toMatch(/damaged in .*000001\.log/);
  });

  test('is found by a check of the whole journal', async () => {
    const journal = open(folder, { segmentBytes: 1 });
    for (let i = 0; i < 20; i += 1) await callThatEnds(journal, `call-${i}`);
    expect(await findJournalDamage(folder)).toBeNull();
    appendFileSync(newest(), '20\t1\t[half a line');
    expect(await findJournalDamage(folder)).toBeNull();
    const [first = 0] = listSegments(folder);
    appendFileSync(segmentPath(folder, first), 'a line that nobody wrote\n');
    expect(await findJournalDamage(folder)).toMatch(/damaged in .*000001\.log/);
  });
});

describe('a journal after a crash', () => {
  const COUNT = 6;
  const all = Array.from({ length: COUNT }, (_, i) => `call-${i}`);

  async function crashed(): Promise<Buffer> {
    const journal = open();
    for (const id of all) await callThatEnds(journal, id);
    byId(journal).begin(sampleBegin('open'), ignore);
    await turn();
    return readFileSync(newest());
  }

  /** Ends of lines: a beginning of the file that ends there is whole. */
  const lineEnds = (bytes: Buffer): number[] =>
    [...bytes.keys()].filter((at) => bytes[at] === 0x0a).map((at) => at + 1);

  /** What is left is a beginning of the calls, whole and in order; what began and did not end is lost, and told. */
  function expectPrefix(copy: string): void {
    const before = readIds(copy);
    const journal = open(copy);
    const { lost, gap } = journal.recover(sampleLost);
    expect(gap).toBe(true);
    const found = readIds(copy);
    expect(before).toEqual(all.slice(0, before.length));
    expect(found).toEqual([...before, ...[...all, 'open'].slice(before.length, before.length + lost)]);
    expect(lost).toBeLessThanOrEqual(1);
    expect(journal.endSeq).toBe(found.length);
    journal.close();
  }

  test('that is cut off at any byte loses only what came after, and is left unchanged if its beginning is cut', async () => {
    const bytes = await crashed();
    const copy = copyAs('cut');
    const [, beginning = 0] = lineEnds(bytes);
    fc.assert(
      fc.property(fc.oneof(fc.nat(bytes.length), fc.nat(beginning)), (length) => {
        rmSync(copy, { recursive: true });
        cpSync(folder, copy, { recursive: true });
        truncateSync(newest(copy), length);
        if (length >= beginning) return expectPrefix(copy);
        expect(openError(copy).message).toMatch(/damaged in/);
        expect(statSync(newest(copy)).size).toBe(length);
      }),
      { numRuns: 60 },
    );
  });

  test('with zeros at its end loses only the end', async () => {
    await crashed();
    const copy = copyAs('zeros');
    appendFileSync(newest(copy), Buffer.alloc(10_000));
    expectPrefix(copy);
    expect(readIds(copy)).toEqual([...all, 'open']);
  });

  test('with zeros in place of lines is left unchanged', async () => {
    const bytes = await crashed();
    const copy = copyAs('zeros');
    const ends = lineEnds(bytes);
    bytes.fill(0, ends[3], ends[5]);
    writeFileSync(newest(copy), bytes);
    expect(openError(copy).message).toMatch(/damaged in/);
    expect(readFileSync(newest(copy)).equals(bytes)).toBe(true);
    expect(await findJournalDamage(copy)).toMatch(/damaged in/);
  });

  test('with overwritten bytes is left unchanged, unless they are at its end', async () => {
    const bytes = await crashed();
    const copy = copyAs('flipped');
    const tail = lineEnds(bytes).at(-2) ?? 0;
    const places = fc.oneof(fc.nat(bytes.length - 1), fc.integer({ min: tail, max: bytes.length - 1 }));
    fc.assert(
      fc.property(places, fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ change;
        rmSync(copy, { recursive: true });
        cpSync(folder, copy, { recursive: true });
        writeFileSync(newest(copy), changed);
        if (at >= tail) return expectPrefix(copy);
        expect(openError(copy).message).toMatch(/damaged in/);
        expect(readFileSync(newest(copy)).equals(changed)).toBe(true);
        expect(() => readIds(copy)).toThrow(/damaged in/);
      }),
      { numRuns: 100 },
    );
  });
});
