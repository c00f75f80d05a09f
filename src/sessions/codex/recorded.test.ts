import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROLLOUTS } from './rollouts.ts';

const FOLDER = join(import.meta.dirname, '../../../test/sessions/recorded');

/** Rollouts that Codex 0.169 wrote, without contents; what its provider charged for is beside them. */
const CHARGED: Readonly<Record<string, readonly string[]>> = {
  resumed: [
    'gpt-5 9304+0+0 85',
    'gpt-5 209+9216+0 124',
    'gpt-5 180+9344+0 85',
    'gpt-5 173+9472+0 85',
    'gpt-5 166+9600+0 85',
    'gpt-5 159+9728+0 99',
  ],
  fork: ['gpt-5 5725+4224+0 85', 'gpt-5 214+9856+0 103'],
  fast: ['gpt-5.6-sol 54+0+11264 82 priority'],
  compaction: ['gpt-5.4 22000+3000+0 85', 'gpt-5.4 5229+0+0 91', 'gpt-5.4 1008+8448+0 85', 'gpt-5.4 233+9344+0 103'],
};

function recorded(name: string) {
  const path = join(FOLDER, `codex-0.169-${name}.jsonl`);
  const bytes = readFileSync(path);
  const file = { path, sessionId: name, size: bytes.length, modifiedAt: 0, inode: name };
  const reader = ROLLOUTS.read(file, null);
  reader.block(bytes, 0, bytes.length);
  return { file, facts: reader.facts() };
}

it.each(Object.entries(CHARGED))('a recorded session has the cost that was charged for it: %s', (name, charged) => {
  const calls = ROLLOUTS.resolve([recorded(name)]);
  const reported = calls.map(({ model, usage }) => {
    const { input = 0, cacheRead = 0, cacheWrite = 0, output = 0 } = usage.inferences[0]?.tokens ?? {};
    return `${model} ${input}+${cacheRead}+${cacheWrite} ${output} ${usage.terms.tier ?? ''}`.trim();
  });
  expect(reported).toEqual(charged);
});

it('a recorded session and its fork have each call once, and a copy of either adds none', () => {
  const files = ['resumed', 'fork', 'resumed', 'fork'].map(recorded);
  const calls = ROLLOUTS.resolve(files);
  expect(calls).toHaveLength(8);
  expect(new Set(calls.map(({ sessionId }) => sessionId)).size).toBe(2);
});
