import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeSource } from '../contract/source-contract.ts';
import { SESSION_MESSAGES } from './session-messages.ts';

const SESSION = '1795876879396_yf2di';
const HOME = join(import.meta.dirname, 'fixture');
const MESSAGES = join('.cline', 'data', 'sessions', SESSION, `${SESSION}.messages.json`);

describeSource({
  source: 'cline',
  home: HOME,
  calls: [`${SESSION} openai/gpt-5-mini 5332+0+0 81`, `${SESSION} openai/gpt-5-mini 122+5248+0 127`],
  projects: ['/code/atlas'],
});

test('answers that a compaction removed count as one sum, with a note', () => {
  const document = JSON.parse(readFileSync(join(HOME, MESSAGES), 'utf8')) as { messages: object[] };
  const usageBefore = { inputTokens: 900, outputTokens: 90, cacheReadTokens: 500, cacheWriteTokens: 100 };
  document.messages.unshift({ id: 'sum', ts: 1_795_876_880_000, metadata: { kind: 'compaction', usageBefore } });
  const folder = mkdtempSync(join(tmpdir(), 'cline-'));
  const path = join(folder, `${SESSION}.messages.json`);
  writeFileSync(path, JSON.stringify(document));
  const file = { path, sessionId: SESSION, size: 1, modifiedAt: 1, inode: '1' };
  const files = [{ file, facts: SESSION_MESSAGES.readWhole(file)! }];
  rmSync(folder, { recursive: true });
  const calls = SESSION_MESSAGES.resolve(files);
  expect(calls).toHaveLength(3);
  expect(calls[0]?.usage.inferences).toEqual([
    { model: null, tokens: { input: 300, cacheRead: 500, cacheWrite: 100, output: 90 }, promptTokens: null },
  ]);
  expect(SESSION_MESSAGES.warnings?.(files, calls)).toEqual([
    'Cline logs only the sum of some calls: 1 sum, each counted as 1 call at the price of short prompts.',
  ]);
});
