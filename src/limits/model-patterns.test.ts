import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkPolicy, type PolicySubject } from '../domain/policy/check-policy.ts';
import { mayMean } from '../domain/policy/model-pattern.ts';
import { OPEN_POLICY } from '../domain/policy/policy.ts';
import { modelMatcher } from '../storage/backfill.ts';
import { ModelPatterns } from './model-patterns.ts';

function patternsOf(...texts: readonly string[]): ModelPatterns<string> {
  const patterns = new ModelPatterns<string>();
  for (const text of texts) patterns.change(text, (items) => items.push(text));
  return patterns;
}

function found(patterns: ModelPatterns<string>, model: string, pricedModel: string | null = null): string[] {
  return patterns.find({ model, pricedModel }).toSorted();
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
  ['openai/gpt-5', 'openai/gpt-5:online', true],
  ['gpt-5', 'openai/gpt-5@preset/mine', true],
])('%s on %s: %s', (pattern, model, matches) => {
  expect(found(patternsOf(pattern), model)).toEqual(matches ? [pattern] : []);
});

test('a model matches by its requested name and by the name that it is priced under', () => {
  const patterns = patternsOf('opus-latest', 'claude-opus-4-5', 'claude-*', '*4-5', 'gpt-*');
  expect(found(patterns, 'opus-latest', 'claude-opus-4-5')).toEqual([
    '*4-5',
    'claude-*',
    'claude-opus-4-5',
    'opus-latest',
  ]);
});

test('policies, limits and backfills match the same models for the same patterns', () => {
  const piece = fc.constantFrom('claude', 'opus', '4-5', '20251101', 'gpt', '4o', '2024-05-13', 'latest', 'mini');
  const name = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join('-'));
  const spelled = fc.tuple(fc.constantFrom('', 'anthropic/', 'a/b/', ' '), name, fc.boolean());
  const model = spelled.map(([vendor, text, upper]) => vendor + (upper ? text.toUpperCase() : text));
  const pattern = fc.oneof(
    name,
    name.map((text) => `${text}*`),
    name.map((text) => `*${text}`),
    fc.constant('*'),
  );
  fc.assert(
    fc.property(pattern, model, fc.option(name), (text, asked, priced) => {
      const limit = found(patternsOf(text), asked, priced).length === 1;
      const past = modelMatcher(text, () => priced)('anthropic', asked);
      const denied = checkPolicy({ ...OPEN_POLICY, deniedModels: [text] }, callOf(asked, priced)) !== null;
      // A rule that allows one version does not allow its alias.
      const allowed =
        mayMean(asked, text) || checkPolicy({ ...OPEN_POLICY, allowedModels: [text] }, callOf(asked, priced)) === null;
      expect({ limit, past, denied, allowed }).toEqual({ limit, past: limit, denied: limit, allowed: limit });
    }),
    { numRuns: 2_000 },
  );
});

function callOf(model: string, pricedModel: string | null): PolicySubject {
  const rest = { keyName: 'key', tags: null, tagWarnings: [], address: null, at: 0, bodyBytes: 0 };
  return { ...rest, models: [{ model, pricedModel }] };
}

test('nothing is found twice, however many names match a pattern', () => {
  expect(found(patternsOf('*', '*o*', 'vendor*'), 'vendor/model', 'vendor-model')).toEqual(['*', '*o*', 'vendor*']);
});

test('several items share a pattern, and one without items is dropped', () => {
  const patterns = patternsOf('a', 'b*', '*c');
  patterns.change('B*', (items) => items.push('another'));
  expect([found(patterns, 'bc'), patterns.size]).toEqual([['*c', 'another', 'b*'], 3]);
  for (const text of ['a', 'b*', '*c']) patterns.change(text, (items) => items.splice(0, 9));
  expect([found(patterns, 'bc'), found(patterns, 'a'), patterns.size]).toEqual([[], [], 0]);
});

test('cached matches follow the name that a model is priced under, and the patterns', () => {
  const patterns = patternsOf('asked', 'priced');
  expect([found(patterns, 'asked'), found(patterns, 'asked', 'priced'), found(patterns, 'asked')]).toEqual([
    ['asked'],
    ['asked', 'priced'],
    ['asked'],
  ]);
  patterns.change('a*', (items) => items.push('late'));
  expect(found(patterns, 'asked')).toEqual(['asked', 'late']);
  for (let number = 0; number < 3_000; number += 1) found(patterns, `model-${number}`);
  expect(found(patterns, 'asked')).toEqual(['asked', 'late']);
});

test('a moving alias finds the patterns of versions that it may mean', () => {
  const patterns = new ModelPatterns<string>();
  for (const text of ['gemini-3*', 'gemini-3.5-flash', '*gemini-2.5*', 'grok-4*'])
    patterns.change(text, (items) => items.push(text));
  const matched = patterns.find({ model: 'gemini-flash-latest', pricedModel: null });
  expect(matched.toSorted()).toEqual(['*gemini-2.5*', 'gemini-3*', 'gemini-3.5-flash']);
});
