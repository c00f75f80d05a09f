import { describe, expect, test } from 'vitest';
import {
  chooseScope,
  formatUncertain,
  limitIdentity,
  parseAmount,
  parseScope,
  parseThresholds,
  parseUncertain,
  shownAmount,
} from './limit-fields.ts';
import type { LimitScope, LimitUnit } from './limit.ts';
import { describeScope, formatAmount } from '../text/limits.ts';

describe('an amount', () => {
  test.each<[LimitUnit, number | string, number, number]>([
    ['usd', 5, 5_000_000_000, 5],
    ['usd', '0.1', 100_000_000, 0.1],
    ['usd', '$1,000.50', 1_000_500_000_000, 1000.5],
    ['usd', 9_000_000, 9_000_000_000_000_000, 9_000_000],
    ['usd', 0, 0, 0],
    ['calls', 1_000, 1_000, 1_000],
    ['tokens', '250000', 250_000, 250_000],
  ])('of %s %j is %j inside and %j outside', (unit, written, inside, outside) => {
    expect(parseAmount(unit, written, 'amount')).toBe(inside);
    expect(shownAmount(unit, inside)).toBe(outside);
  });

  test.each<[LimitUnit, number | string]>([
    ['usd', -1],
    ['usd', 'five'],
    ['usd', 9_000_001],
    ['usd', 0.000_000_000_1],
    ['calls', 1.5],
    ['calls', '1e3'],
    ['tokens', -1],
    ['tokens', 2 ** 53],
    ['concurrency', ''],
    ['concurrency', Number.NaN],
  ])('of %s is never %j, and the sentence says what to write', (unit, written) => {
    expect(() => parseAmount(unit, written, 'amount')).toThrow(/; write a (?:whole )?number such as/);
  });

  test('is converted from dollars to nano-USD and back without a change, up to millions', () => {
    for (const nano of [1, 123_456_789, 8_388_607_999_999_999, 4_503_599_627_370_497])
      expect(parseAmount('usd', shownAmount('usd', nano), 'amount')).toBe(nano);
  });

  test('is shown in dollars or with thousands separators', () => {
    expect(formatAmount('usd', 12.5)).toBe('$12.50');
    expect(formatAmount('tokens', 1_000_000)).toBe('1,000,000');
  });
});

describe('a scope', () => {
  test('is stored in one form, so that equal scopes are equal texts', () => {
    expect(parseScope({ kind: 'model', pattern: ' Claude-* ' }, 'scope')).toEqual({
      kind: 'model',
      pattern: 'claude-*',
    });
    expect(parseScope({ kind: 'tag', key: 'Team', value: ' search ' }, 'scope')).toEqual({
      kind: 'tag',
      key: 'team',
      value: 'search',
    });
    expect(parseScope({ kind: 'each_tag', key: 'USER' }, 'scope')).toEqual({ kind: 'each_tag', key: 'user' });
  });

  test.each<LimitScope>([
    { kind: 'model', pattern: ' ' },
    { kind: 'model', pattern: 'a b' },
    { kind: 'model', pattern: 'x'.repeat(201) },
    { kind: 'tag', key: 'no spaces', value: 'x' },
    { kind: 'tag', key: 'team', value: '' },
    { kind: 'each_tag', key: '' },
  ])('of %j is refused, naming the field', (scope) => {
    expect(() => parseScope(scope, 'scope')).toThrow(/^scope (?:names a tag|has no usable pattern)/);
  });

  test('makes a different limit if any part of it differs', () => {
    const scopes: LimitScope[] = [
      { kind: 'workspace' },
      { kind: 'key', keyId: 'key_1' },
      { kind: 'key', keyId: 'key_2' },
      { kind: 'provider', provider: 'openai' },
      { kind: 'model', pattern: 'openai' },
      { kind: 'tag', key: 'team', value: 'a' },
      { kind: 'tag', key: 'team', value: 'b' },
      { kind: 'each_tag', key: 'team' },
    ];
    const kind = { unit: 'usd', window: 'day', action: 'block' } as const;
    const whole = { ...kind, scope: { kind: 'workspace' } } as const;
    const limits = [
      ...scopes.map((scope) => Object.assign({ scope }, kind)),
      { ...whole, unit: 'calls' } as const,
      { ...whole, window: 'hour' } as const,
      { ...whole, action: 'warn' } as const,
    ];
    expect(new Set(limits.map(limitIdentity)).size).toBe(limits.length);
    expect(limitIdentity({ ...kind, scope: { kind: 'workspace' } })).toBe(limitIdentity(limits[0] ?? limits[1]!));
  });

  test('names a key by its name', () => {
    expect(describeScope({ kind: 'key', keyId: 'key_1' }, () => 'search')).toBe('key search');
  });
});

test('thresholds are percentages, ascending, without duplicates', () => {
  expect(parseThresholds([95, 50, 95], 'thresholds')).toEqual([50, 95]);
  for (const bad of [[0], [101], [1.5], Array.from({ length: 11 }, (_, index) => index + 1)])
    expect(() => parseThresholds(bad, 'thresholds')).toThrow(/thresholds must be/);
});

test('the rule for uncertain calls is read as it is written', () => {
  for (const text of ['keep', 'release-after 2h', 'release-after 90m'])
    expect(formatUncertain(parseUncertain(` ${text} `, 'uncertainRule'))).toBe(text);
  for (const bad of ['', 'release', 'release-after soon', 'release-after 59s'])
    expect(() => parseUncertain(bad, 'uncertainRule')).toThrow(/^uncertainRule /);
});

test('one option names a scope, and none the whole workspace', () => {
  expect([
    chooseScope({}),
    chooseScope({ key: 'key_1', tag: undefined }),
    chooseScope({ provider: 'openai' }),
    chooseScope({ model: 'gpt-*' }),
    chooseScope({ tag: 'team=a=b' }),
    chooseScope({ eachTag: 'user' }),
  ]).toEqual([
    { kind: 'workspace' },
    { kind: 'key', keyId: 'key_1' },
    { kind: 'provider', provider: 'openai' },
    { kind: 'model', pattern: 'gpt-*' },
    { kind: 'tag', key: 'team', value: 'a=b' },
    { kind: 'each_tag', key: 'user' },
  ]);
});

test('two scopes are refused, and so is a tag without a value', () => {
  expect(() => chooseScope({ key: 'key_1', eachTag: 'user' })).toThrow(
    /counts one thing, but key and each-tag are given/,
  );
  expect(() => chooseScope({ key: 'k', provider: 'openai', each: 'run' })).toThrow('key, provider and each are given');
  for (const tag of ['team', '=search']) expect(() => chooseScope({ tag })).toThrow(/is not a tag; write team=search/);
});
