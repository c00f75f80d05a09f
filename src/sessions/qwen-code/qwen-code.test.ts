import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeSource } from '../contract/source-contract.ts';
import { CHAT_ROWS } from './chat-rows.ts';

const SESSION = 'eb863569-3e32-4845-a6e5-bf1331111cc7';
const CHAT = join('.qwen', 'projects', '-code-atlas', 'chats', `${SESSION}.jsonl`);

describeSource({
  source: 'qwen_code',
  home: join(import.meta.dirname, 'fixture'),
  // A fork repeats the rows and names their session; its path is before the original's.
  prepare: (home) => {
    const rows = readFileSync(join(home, CHAT), 'utf8').trimEnd().split('\n');
    const folder = join(home, '.qwen', 'projects', '-a', 'chats');
    mkdirSync(folder, { recursive: true });
    const forked = rows.map((row) => `${row.slice(0, -1)},"sessionId":"fork","forkedFrom":{"sessionId":"${SESSION}"}}`);
    writeFileSync(join(folder, 'fork.jsonl'), `${forked.join('\n')}\n`);
  },
  calls: [
    `${SESSION} openai/gpt-5-mini-2025-08-07 14837+0+0 85`,
    `${SESSION} openai/gpt-5-mini-2025-08-07 181+14720+0 98`,
  ],
  projects: ['/code/atlas'],
});

const FILE = { path: '/a.jsonl', sessionId: SESSION, size: 1, modifiedAt: 1, inode: '1' };

function countTokens(row: object): readonly unknown[] {
  const lines = CHAT_ROWS.read(FILE, null);
  const bytes = Buffer.from(`${JSON.stringify({ uuid: 'a', timestamp: '2026-11-24T00:09:39.970Z', ...row })}\n`);
  lines.block(bytes, 0, bytes.length);
  return CHAT_ROWS.resolve([{ file: FILE, facts: lines.facts() }]).map(({ model, usage }) => [
    model,
    usage.inferences[0]?.tokens,
  ]);
}

test('an answer counts if the file has no rows of responses', () => {
  const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 20, cachedContentTokenCount: 60 };
  const expected = [['qwen3-coder-plus', { input: 40, cacheRead: 60, output: 20 }]];
  expect(countTokens({ type: 'assistant', model: 'qwen3-coder-plus', usageMetadata })).toEqual(expected);
});

test('thoughts are added only if the total says that the output excludes them', () => {
  const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 20, thoughtsTokenCount: 15 };
  const count = (totalTokenCount: number): readonly unknown[] =>
    countTokens({ type: 'assistant', model: 'gemini-3-pro', usageMetadata: { ...usageMetadata, totalTokenCount } });
  expect(count(135)).toEqual([['google/gemini-3-pro', { input: 100, output: 35 }]]);
  expect(count(120)).toEqual([['google/gemini-3-pro', { input: 100, output: 20 }]]);
});

test('a row without a time is not counted, and a note says so', () => {
  const lines = CHAT_ROWS.read(FILE, null);
  const bytes = Buffer.from('{"uuid":"a","type":"assistant","usageMetadata":{"promptTokenCount":1}}\n');
  lines.block(bytes, 0, bytes.length);
  const files = [{ file: FILE, facts: lines.facts() }];
  expect(files[0]?.facts.startedAt).toBeNull();
  expect(CHAT_ROWS.resolve(files)).toEqual([]);
  expect(CHAT_ROWS.warnings?.(files, [])).toEqual([
    'Qwen Code: 1 record that may contain usage could not be read and is not counted.',
  ]);
});
