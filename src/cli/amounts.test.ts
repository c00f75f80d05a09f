import { expect, test } from 'vitest';
import { shortModel } from './amounts.ts';

test.each([
  ['claude-opus-4-5-20251101', 'opus-4-5'],
  ['claude-3-5-sonnet-20241022', '3-5-sonnet'],
  ['gpt-5.1-codex', 'gpt-5.1-codex'],
  ['gpt-4o-2024-08-06', 'gpt-4o'],
])('%s is shortened to %s', (model, text) => {
  expect(shortModel(model)).toBe(text);
});
