import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { describeSource } from '../contract/source-contract.ts';
import { THREADS } from './threads.ts';

const HOME = join(import.meta.dirname, 'fixture');

interface ThreadRow {
  readonly id: string;
  readonly updated_at: string;
  readonly data_type: string;
  readonly folder_paths: string | null;
  readonly thread: object;
}

/** Writes threads as Zed does. */
function writeThreads(home: string): void {
  const folder = join(home, '.local', 'share', 'zed', 'threads');
  mkdirSync(folder, { recursive: true });
  const db = new DatabaseSync(join(folder, 'threads.db'));
  db.exec('CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT, updated_at TEXT, data_type TEXT, data BLOB)');
  db.exec('ALTER TABLE threads ADD COLUMN folder_paths TEXT');
  const add = db.prepare("INSERT INTO threads VALUES (?, 'CANARY', ?, ?, ?, ?)");
  for (const row of JSON.parse(readFileSync(join(home, 'threads.json'), 'utf8')) as ThreadRow[]) {
    const text = Buffer.from(JSON.stringify(row.thread));
    const data = row.data_type === 'zstd' ? zstdCompressSync(text) : text;
    add.run(row.id, row.updated_at, row.data_type, data, row.folder_paths);
  }
  db.close();
}

describeSource({
  source: 'zed',
  home: HOME,
  prepare: writeThreads,
  calls: ['first anthropic/claude-sonnet-4-5 10+40+30 20', 'second zed.dev/gpt-5 5+0+0 6'],
  projects: ['/code/atlas', null],
  notes: [
    'Zed: 1 record that may contain usage could not be read and is not counted.',
    'Zed logs only the sum of some calls: 2 sums, each counted as 1 call at the price of short prompts.',
  ],
});

test('the length of the prompts in a sum is unknown', () => {
  const call = { id: 'a', session: 'a', project: null, model: 'openai/gpt-5', at: 1, cacheRead: 0, cacheWrite: 0 };
  const counts = { input: 900_000, output: 1, thinking: 0, isTotal: true as const };
  const file = { path: '/a.db', sessionId: '', size: 1, modifiedAt: 1, inode: '1' };
  const facts = { session: null, project: null, startedAt: null, calls: [{ ...call, ...counts }], unreadable: 0 };
  expect(THREADS.resolve([{ file, facts }])[0]?.usage.inferences[0]?.promptTokens).toBeNull();
});
