import { expect, test } from 'vitest';
import { ModelPatterns } from './model-patterns.ts';

function patternsOf(...texts: readonly string[]): ModelPatterns<string> {
  const patterns = new ModelPatterns<string>();
  for (const text of texts) patterns.change(text, (items) => items.push(text));
  return patterns;
}

function found(patterns: ModelPatterns<string>, model: string, pricedModel: string | null = null): string[] {
  const items: string[] = [];
  patterns.find({ model, pricedModel }, items);
  return items.toSorted();
}

test.each([
  ['claude-opus-4-5', 'claude-opus-4-5', true],
  [' Claude-OPUS-4-5 ', 'claude-opus-4-5', true],
  ['claude-opus-4-5', 'CLAUDE-opus-4-5', true],
  ['claude-opus-4', 'claude-opus-4-5', false],
  ['claude-*', 'claude-opus-4-5', true],
  ['claude-*', 'claude-', true],
  ['claude-*', 'claude', false],
  ['*', 'anything', true],
  ['*', '', true],
  ['*-mini', 'gpt-5-mini', true],
  ['*-mini', 'gpt-5-mini-2', false],
  ['gpt-*-mini', 'gpt-5-mini', true],
  ['gpt-*-mini', 'gpt-mini', false],
  ['*opus*', 'claude-opus-4-5', true],
  // As routers write them.
  ['claude-opus-4-5', 'anthropic/claude-opus-4-5', true],
  ['claude-*', 'anthropic/claude-opus-4-5', true],
  ['anthropic/*', 'anthropic/claude-opus-4-5', true],
  ['anthropic/*', 'claude-opus-4-5', false],
])('%s on %s: %s', (pattern, model, matches) => {
  expect(found(patternsOf(pattern), model)).toEqual(matches ? [pattern] : []);
});

test('the name that a model is priced under counts as well as the one asked for', () => {
  const patterns = patternsOf('opus-latest', 'claude-opus-4-5', 'claude-*', '*4-5', 'gpt-*');
  expect(found(patterns, 'opus-latest', 'claude-opus-4-5')).toEqual([
    '*4-5',
    'claude-*',
    'claude-opus-4-5',
    'opus-latest',
  ]);
});

test('nothing is found twice, however many of the names a pattern matches', () => {
  expect(found(patternsOf('*', '*o*', 'vendor*'), 'vendor/model', 'vendor-model')).toEqual(['*', '*o*', 'vendor*']);
  const items = ['*'];
  patternsOf('*').find({ model: 'a', pricedModel: 'b' }, items);
  expect(items).toEqual(['*', '*']);
});

test('several items share a pattern, and one without items is dropped', () => {
  const patterns = patternsOf('a', 'b*', '*c');
  patterns.change('B*', (items) => items.push('another'));
  expect([found(patterns, 'bc'), patterns.size]).toEqual([['*c', 'another', 'b*'], 3]);
  for (const text of ['a', 'b*', '*c']) patterns.change(text, (items) => items.splice(0, 9));
  expect([found(patterns, 'bc'), found(patterns, 'a'), patterns.size]).toEqual([[], [], 0]);
});
