import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { describeSource } from '../contract/source-contract.ts';
import { USAGE_LEDGER } from './usage-ledger.ts';

const HOME = join(import.meta.dirname, 'fixture');

function writeDatabase(path: string): DatabaseSync {
  const db = new DatabaseSync(path);
  db.exec('PRAGMA journal_mode = WAL');
  db.exec(readFileSync(join(HOME, 'sessions.sql'), 'utf8'));
  return db;
}

describeSource({
  source: 'goose',
  home: HOME,
  prepare: (home) => {
    const folder = join(home, '.local', 'share', 'goose', 'sessions');
    mkdirSync(folder, { recursive: true });
    writeDatabase(join(folder, 'sessions.db')).close();
  },
  calls: [
    '20261128_1-e3c8922d21c5 anthropic/claude-sonnet-4-5 10+0+8300 24',
    '20261128_1-e3c8922d21c5 anthropic/claude-sonnet-4-5 17+8300+210 132',
    '20261128_2-f52cba221f4f openai/gpt-5-mini 20+0+0 10',
    '20261128_1-e3c8922d21c5 anthropic/claude-haiku-4-5 400+0+0 40',
  ],
  projects: ['/code/atlas'],
});

test('sessions with the same number on two machines have different names, and keep them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'goose-'));
  const path = join(folder, 'sessions.db');
  const file = { path, sessionId: '', size: 1, modifiedAt: 1, inode: '1' };
  const sessions = () => USAGE_LEDGER.readWhole(file)?.calls.map(({ session }) => session);
  const db = writeDatabase(path);
  const first = sessions();
  db.exec(
    "INSERT INTO usage_ledger (session_id, created_timestamp, input_tokens) VALUES ('20261128_1', 1795863900, 7)",
  );
  expect(sessions()).toEqual([...(first ?? []), first?.[0]]);
  db.exec("UPDATE sessions SET working_dir = '/code/other'");
  expect(sessions()?.[0]).not.toBe(first?.[0]);
  db.exec('DROP TABLE usage_ledger');
  expect(sessions()).toEqual([]);
  db.close();
  rmSync(folder, { recursive: true });
});
