import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePattern, mayMean, modelSpellings, restrictedSpellings } from './model-pattern.ts';

describe('pattern matching', () => {
  test.each([
    ['claude-opus-4-5', 'claude-opus-4-5'],
    ['claude-*', 'claude-opus-4-5'],
    ['claude-*', 'claude-'],
    ['*', ''],
    ['*', 'anything/at:all'],
    ['*opus*', 'claude-opus-4-5'],
    ['*-mini', 'gpt-4o-mini'],
    ['gpt-*-mini', 'gpt-4.1-mini'],
    ['a**b', 'ab'],
    ['a*b*a', 'aba'],
    ['Claude-OPUS-*', 'claude-opus-4-5'],
    ['claude-opus-*', 'CLAUDE-Opus-4-5'],
    [' gpt-4o ', 'gpt-4o'],
    ['gpt-4.1', 'gpt-4.1'],
  ])('%j matches %j', (pattern, name) => expect(compilePattern(pattern)(name)).toBe(true));

  test.each([
    ['claude-opus', 'claude-opus-4-5'],
    ['opus', 'claude-opus-4-5'],
    ['claude-*', 'my-claude-opus'],
    ['*-mini', 'gpt-4o-mini-2024-07-18'],
    ['a*a', 'a'],
    ['ab*ba', 'aba'],
    ['a*b*b', 'ab'],
    ['gpt-4.1', 'gpt-421'],
    ['', 'a'],
    ['gpt-?', 'gpt-5'],
  ])('%j does not match %j', (pattern, name) => expect(compilePattern(pattern)(name)).toBe(false));
});

test('agrees with the same pattern as a regular expression', () => {
  const piece = fc.string({ unit: fc.constantFrom('a', 'b', 'B', '.'), maxLength: 4 });
  const name = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '.', '+'), maxLength: 14 });
  const asExpression = (pieces: readonly string[]): RegExp =>
    new RegExp(`^${pieces.map((text) => text.replaceAll('.', String.raw`\.`)).join('.*')}$`, 'i');
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 4 }), name, (pieces, text) => {
      expect(compilePattern(pieces.join('*'))(text)).toBe(asExpression(pieces).test(text));
    }),
    { numRuns: 2_000 },
  );
});

test('a pattern with many stars reads each character of a name once', () => {
  let read = 0;
  class Watched extends String {
    override indexOf(piece: string, from?: number): number {
      const at = super.indexOf(piece, from);
      read += (at < 0 ? this.length : at + piece.length) - (from ?? 0);
      return at;
    }
    override toLowerCase(): string {
      return this as unknown as string;
    }
  }
  const name = new Watched(`${'a'.repeat(2_000)}b`) as unknown as string;
  expect(compilePattern(`${'*a'.repeat(128)}*c*`)(name)).toBe(false);
  expect(read).toBeLessThanOrEqual(name.length);
});

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

test('a name too long for a model is compared unchanged', () => {
  const name = `vendor/${'x'.repeat(300)}-20251101`;
  expect(modelSpellings(name, null)).toEqual([name, name.slice(7)]);
});

test.each([
  ['openai/gpt-5:nitro', ['openai/gpt-5:nitro', 'gpt-5:nitro', 'openai/gpt-5', 'gpt-5']],
  ['openai/gpt-5@preset/mine', ['openai/gpt-5@preset/mine', 'gpt-5@preset/mine', 'mine', 'openai/gpt-5', 'gpt-5']],
  ['ft:gpt-4o:acme::1', ['ft:gpt-4o:acme::1', 'ft:gpt-4o']],
  ['openai/ft:gpt-4o:acme', ['openai/ft:gpt-4o:acme', 'ft:gpt-4o:acme', 'ft:gpt-4o']],
])('a limit or a denial sees %s as its model too', (model, spellings) => {
  expect(restrictedSpellings(model, null).toSorted()).toEqual(spellings.toSorted());
});

test.each([
  ['anthropic/claude-opus-4.8', 'claude-opus-4-8'],
  ['claude-opus-4-8', 'claude-opus-4.8'],
  ['gemini-2.5-pro', 'gemini-2-5-pro'],
])('a limit or a denial sees %s as %s', (model, spelling) => {
  expect(restrictedSpellings(model, null)).toContain(spelling);
});

test('a date is not a version', () => {
  expect(restrictedSpellings('gpt-4-0613', null)).toEqual(['gpt-4-0613']);
});

test('a rule that allows a model does not allow its variants', () => {
  expect(modelSpellings('openai/gpt-5:online', null)).not.toContain('openai/gpt-5');
});

test.each([
  ['gemini-flash-latest', 'gemini-3*', true],
  ['gemini-pro-latest', 'google/gemini-2.5-pro', true],
  ['grok-latest', 'grok-4*', true],
  ['~anthropic/claude-haiku-latest', '*claude-haiku-4-5*', true],
  ['gemini-flash-latest', 'claude-3*', false],
  ['gemini-flash-latest', 'gemini-pro*', false],
  ['gemini-3.5-flash', 'gemini-2*', false],
  ['claude-3-5-sonnet-latest', 'claude-4*', false],
])('%s may mean a model of %s: %s', (model, pattern, may) => {
  expect(mayMean(model, pattern)).toBe(may);
});
