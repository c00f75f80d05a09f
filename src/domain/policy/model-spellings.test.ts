import { expect, test } from 'vitest';
import { modelSpellings } from './model-spellings.ts';

test.each([
  ['gpt-5', null, ['gpt-5']],
  [' GPT-5 ', null, ['gpt-5']],
  ['anthropic/claude-opus-4.6', 'claude-opus-4-6', ['anthropic/claude-opus-4.6', 'claude-opus-4.6', 'claude-opus-4-6']],
  ['models/gemini-2.5-pro', null, ['models/gemini-2.5-pro', 'gemini-2.5-pro']],
  ['claude-opus-4-5-20251101', null, ['claude-opus-4-5-20251101', 'claude-opus-4-5']],
  ['gpt-4o-2024-05-13', 'gpt-4o-2024-05-13', ['gpt-4o-2024-05-13', 'gpt-4o']],
  ['claude-3-5-sonnet-latest', null, ['claude-3-5-sonnet-latest', 'claude-3-5-sonnet']],
  ['claude-opus-4-5', 'opus', ['claude-opus-4-5', 'opus']],
  // Another model, however near its name.
  ['claude-opus-4-5', null, ['claude-opus-4-5']],
  ['gpt-5-mini', null, ['gpt-5-mini']],
])('%s, priced as %s', (model, priced, spellings) => {
  expect(modelSpellings(model, priced).toSorted()).toEqual(spellings.toSorted());
});

test('a name that is too long for a model is tried as it is', () => {
  const name = `vendor/${'x'.repeat(300)}-20251101`;
  expect(modelSpellings(name, null)).toEqual([name, name.slice(7)]);
});
