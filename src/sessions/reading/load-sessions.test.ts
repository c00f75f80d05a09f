import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ReadProgress } from './thread-pool.ts';
import { cachePath } from './file-cache.ts';
import { CLAUDE_CODE } from '../claude-code/claude-code.ts';
import { type LoadSessionsOptions, loadSessions } from './load-sessions.ts';

let home: string;
let projects: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'load-'));
  projects = join(home, '.claude', 'projects', '-p');
  mkdirSync(projects, { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true }));

function rowOf(id: string, content = 'x'): string {
  const usage = { input_tokens: 1, output_tokens: 20 };
  const message = { model: 'claude-opus-5', id, role: 'assistant', content, stop_reason: 'end_turn', usage };
  const timestamp = '2026-09-10T10:00:00.000Z';
  return `${JSON.stringify({ message, requestId: `r ${id}`, type: 'assistant', sessionId: 's', timestamp })}\n`;
}

function load(more: Partial<LoadSessionsOptions> = {}) {
  const places = { home, platform: process.platform, env: {} };
  return loadSessions({ sources: ['claude_code', 'codex'], host: places, cacheFolder: join(home, 'cache'), ...more });
}

test('without sessions there are no calls', async () => {
  expect(await load()).toEqual({ calls: [], files: [], warnings: [] });
});

test('no thread is started if no session folder exists', async () => {
  const started: unknown[] = [];
  const note = (thread: unknown) => started.push(thread);
  process.on('worker', note);
  await load();
  const withFolder = started.length;
  rmSync(join(home, '.claude'), { recursive: true });
  await load();
  process.off('worker', note);
  expect([withFolder > 0, started.length]).toEqual([availableParallelism() > 1, withFolder]);
});

test('the calls of each source are passed on once, also if none changed', async () => {
  writeFileSync(join(projects, 's.jsonl'), rowOf('msg_1'));
  for (const run of ['first', 'second']) {
    const reported: [string, number][] = [];
    await load({ onCalls: async (source, calls) => void reported.push([source, calls.length]) });
    expect(Object.fromEntries(reported), run).toEqual({ claude_code: 1, codex: 0 });
    expect(reported, run).toHaveLength(2);
  }
});

test('a second run reads only what was added', async () => {
  const path = join(projects, 's.jsonl');
  writeFileSync(path, rowOf('msg_1'));
  const reported: ReadProgress[] = [];
  await load();
  await load({ onProgress: (done) => reported.push(done) });
  expect(reported).toEqual([]);
  writeFileSync(path, rowOf('msg_1') + rowOf('msg_2', 'long'.repeat(1_000)));
  const { calls } = await load({ onProgress: (done) => reported.push(done) });
  expect(calls).toHaveLength(2);
  expect(reported.at(-1)).toEqual({ files: 1, ofFiles: 1, bytes: 5 * 1024 });
});

test('a deleted, broken or outdated cache loses nothing', async () => {
  writeFileSync(join(projects, 's.jsonl'), rowOf('msg_1'));
  const first = await load();
  const path = cachePath(join(home, 'cache'), 'claude_code');
  const bytes = readFileSync(path, 'latin1');
  const older = bytes.replace(`claude_code ${CLAUDE_CODE.version} `, `claude_code ${CLAUDE_CODE.version - 1} `);
  expect(older).not.toBe(bytes);
  for (const content of [older, bytes.slice(0, 50), '', 'garbage'.repeat(100)]) {
    writeFileSync(path, content);
    expect(await load()).toEqual(first);
    expect(readFileSync(path, 'latin1')).toBe(bytes);
  }
});

test('two concurrent runs each load everything', async () => {
  for (let index = 0; index < 30; index++) writeFileSync(join(projects, `s${index}.jsonl`), rowOf(`msg_${index}`));
  const runs = await Promise.all([load(), load(), load()]);
  expect(runs.map(({ calls }) => calls.length)).toEqual([30, 30, 30]);
  expect((await load()).calls).toHaveLength(30);
});

test('several threads read everything, on a first run and after many additions', async () => {
  const paths = Array.from({ length: 30 }, (_, index) => join(projects, `s${index}.jsonl`));
  const fill = (day: string) => {
    for (const path of paths) writeFileSync(path, rowOf(path + day, 'x'.repeat(1_000_000)), { flag: 'a' });
  };
  fill('1');
  expect((await load()).calls).toHaveLength(30);
  fill('2');
  expect((await load()).calls).toHaveLength(60);
});

test('a cache that cannot be written only causes a warning', async () => {
  writeFileSync(join(projects, 's.jsonl'), rowOf('msg_1'));
  writeFileSync(join(home, 'file'), '');
  const { calls, warnings } = await load({ cacheFolder: join(home, 'file') });
  expect(calls).toHaveLength(1);
  expect(warnings).toEqual([expect.stringContaining('the next run reads everything again')]);
});

test('an aborted run throws the reason', async () => {
  writeFileSync(join(projects, 's.jsonl'), rowOf('msg_1'));
  await expect(load({ signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
});

test('lines of many megabytes are read in the memory of a block', async () => {
  const path = join(projects, 's.jsonl');
  const append = (text: string | Buffer) => writeFileSync(path, text, { flag: 'a' });
  const picture = Buffer.alloc(1024 * 1024, 'x');
  const lines = [
    { text: '{"type":"user","message":{"role":"user","content":"HERE"}}\n', megabytes: 101 },
    { text: rowOf('msg_1', 'HERE'), megabytes: 8 },
  ];
  for (const { text, megabytes } of lines) {
    const [start = '', end = ''] = text.split('HERE');
    append(start);
    for (let left = megabytes; left > 0; left--) append(picture);
    append(end);
  }
  append(rowOf('msg_2'));
  const before = process.memoryUsage();
  const { calls } = await load();
  const after = process.memoryUsage();
  expect(calls).toHaveLength(2);
  const grown = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
  expect(grown).toBeLessThan(50 * 1024 * 1024);
});
