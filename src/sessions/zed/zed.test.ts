import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadSessions } from '../reading/load-sessions.ts';

const CANARY = 'CANARY';
let home: string;
let folder: string;

/** A thread as Zed saves it. Of the sums of single prompts, not all are kept. */
function thread(model: object, sum: object): string {
  const usage = { request_token_usage: { 'a-prompt': { input_tokens: 1 } }, cumulative_token_usage: sum };
  return JSON.stringify({ version: '0.3.0', title: CANARY, messages: [{ text: CANARY }], model, ...usage });
}

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'zed-'));
  folder = join(home, '.local', 'share', 'zed', 'threads');
  mkdirSync(folder, { recursive: true });
  const db = new DatabaseSync(join(folder, 'threads.db'));
  db.exec('CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT, updated_at TEXT, data_type TEXT, data BLOB)');
  db.exec('ALTER TABLE threads ADD COLUMN folder_paths TEXT');
  const add = db.prepare('INSERT INTO threads VALUES (?, ?, ?, ?, ?, ?)');
  const claude = { provider: 'anthropic', model: 'claude-sonnet-4-5' };
  const sum = { input_tokens: 10, output_tokens: 20, cache_creation_input_tokens: 30, cache_read_input_tokens: 40 };
  const first = zstdCompressSync(thread(claude, sum));
  add.run('first', CANARY, '2026-11-24T10:00:00+00:00', 'zstd', first, '/code/atlas\n/code/other');
  const second = Buffer.from(thread({ provider: 'zed.dev', model: 'gpt-5' }, { input_tokens: 5, output_tokens: 6 }));
  add.run('second', CANARY, '2026-11-24T11:00:00+00:00', 'json', second, null);
  add.run('unused', CANARY, '2026-11-24T12:00:00+00:00', 'json', Buffer.from(thread(claude, {})), null);
  add.run('damaged', CANARY, '2026-11-24T12:00:00+00:00', 'zstd', Buffer.from('no zstd'), null);
  db.close();
});
afterAll(() => rmSync(home, { recursive: true }));

test('a thread of Zed counts as its sum, and notes say what is uncertain', async () => {
  const host = { home, platform: 'linux' as const, env: {} };
  const load = () => loadSessions({ sources: ['zed'], host, cacheFolder: join(home, 'cache') });
  const { calls, warnings } = await load();
  expect(calls.map(({ sessionId, project, model, usage }) => [sessionId, project, model, usage.inferences])).toEqual([
    [
      'first',
      '/code/atlas',
      'anthropic/claude-sonnet-4-5',
      [{ model: null, tokens: { input: 10, output: 20, cacheRead: 40, cacheWrite5m: 30 }, promptTokens: null }],
    ],
    ['second', null, 'zed.dev/gpt-5', [{ model: null, tokens: { input: 5, output: 6 }, promptTokens: null }]],
  ]);
  expect(warnings).toEqual([
    'Zed: 1 record that may contain usage could not be read and is not counted.',
    'Zed logs only the sum of some calls: 2 sums, each counted as 1 call at the price of short prompts.',
  ]);
  expect((await load()).calls).toEqual(calls);
});
