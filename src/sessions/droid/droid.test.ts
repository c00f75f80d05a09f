import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeSource } from '../contract/source-contract.ts';
import { SESSION_TOTALS } from './session-totals.ts';

const [MINI, SONNET] = ['dd103d8a-4ceb-4e6b-95c9-289605038124', 'fee75f68-d3a6-4c2c-9771-fb48f699bfd2'];
const HOME = join(import.meta.dirname, 'fixture');
const FOLDER = join('.factory', 'sessions', '-code-atlas');

describeSource({
  source: 'droid',
  home: HOME,
  prepare: (home) => {
    utimesSync(join(home, FOLDER, `${MINI}.settings.json`), 1_795_879_372, 1_795_879_372);
    utimesSync(join(home, FOLDER, `${SONNET}.settings.json`), 1_795_879_390, 1_795_879_390);
  },
  calls: [`${MINI} openai/gpt-5-mini 5122+4992+0 208`, `${SONNET} anthropic/claude-sonnet-4-5 26+7871+7907 54`],
  projects: ['/code/atlas'],
  notes: ['Droid logs only the sum of some calls: 2 sums, each counted as 1 call at the price of short prompts.'],
});

test.each([
  ['claude-opus-4-5-20251101', 'anthropic/claude-opus-4-5-20251101'],
  ['custom:Local-Llama-0', 'llama-4'],
  ['custom:Twice-0', 'custom:Twice-0'],
  ['custom:Gone-1', 'custom:Gone-1'],
])('model %s counts as %s', (model, expected) => {
  const home = mkdtempSync(join(tmpdir(), 'droid-'));
  mkdirSync(join(home, 'sessions'));
  const twice = { displayName: 'Twice', provider: 'openai' };
  const own = { model: 'llama-4', displayName: 'Local Llama', provider: 'generic-chat-completion-api' };
  const customModels = [own, { ...twice, model: 'gpt-5' }, { ...twice, model: 'gpt-5-mini' }];
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ customModels }));
  const path = join(home, 'sessions', 'one.settings.json');
  writeFileSync(path, JSON.stringify({ model, tokenUsage: { inputTokens: 1 } }));
  const facts = SESSION_TOTALS.readWhole({ path, sessionId: 'one', size: 1, modifiedAt: 1, inode: '1' });
  expect(facts?.calls.map((call) => [call.model, call.project])).toEqual([[expected, null]]);
  rmSync(home, { recursive: true });
});
