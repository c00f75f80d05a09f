import { expect, test } from 'vitest';
import { pointValue } from '../chart/stack.ts';
import { joinValues } from '../filter/parameter-values.ts';
import { dimensionQuery, filterFor, filterOut, pairDimensions, readDimension, valueName } from './dimensions.ts';

const KEYS = new Map([['key_1', 'batch']]);

test.each([
  ['key', 'key_1', 'batch'],
  ['key', 'key_gone', 'key_gone'],
  ['key', null, 'No key'],
  ['tag:team', null, 'No tag'],
  ['model', null, 'Unknown'],
  ['agent', null, 'Main agent or none'],
  ['source', 'claude_code', 'Claude Code'],
  ['status', '0', 'No response'],
  ['model', '(other)', 'All others'],
])('grouped by %s, %s is shown as %s', (dimension, value, name) =>
  expect(valueName(dimension, value, KEYS)).toBe(name),
);

test('a tag dimension uses its own key, and one value is one filter', () => {
  expect(dimensionQuery('tag:team')).toEqual({ by: 'tag', tagKey: 'team' });
  expect(filterFor('tag:team', 'a=b')).toEqual({ tag: 'team=a=b' });
  expect(filterFor('model', 'm')).toEqual({ model: 'm' });
  expect(filterFor('request_class', 'main')).toEqual({ requestClass: 'main' });
});

test('a value of a pair of dimensions has both names, and filters by both', () => {
  const pair = pairDimensions('tag:a,b', 'key');
  const value = pointValue({ value: 'search', and: 'key_1' });
  expect(dimensionQuery(pair)).toEqual({ by: 'tag', tagKey: 'a,b', and: 'key' });
  expect(valueName(pair, value, KEYS)).toBe('search · batch');
  expect(valueName(pair, pointValue({ value: null, and: null }), KEYS)).toBe('No tag · No key');
  expect(valueName(pair, pointValue({ value: '(other)', and: '(other)' }), KEYS)).toBe('All others');
  expect(filterFor(pair, value ?? '')).toEqual({ tag: 'a,b=search', key: 'key_1' });
  expect(filterFor(pair, pointValue({ value: 'search', and: null }) ?? '')).toBeNull();
});

test('values read for other dimensions still have a name, while the new ones are read', () => {
  expect(valueName('tag:team,key', 'search', KEYS)).toBe('search · No key');
  expect(valueName('tag:team', pointValue({ value: 'search', and: 'key_1' }), KEYS)).toBe('search');
});

test('a filter by a tag keeps tags of other keys, and values are left out one after the other', () => {
  const within = { tag: joinValues(['env=prod', 'team=a']) ?? '', notModel: 'm' };
  expect(filterFor('tag:team', 'b', within)).toEqual({ tag: joinValues(['env=prod', 'team=b']) });
  expect(filterOut('model', 'n', within)).toEqual({ notModel: joinValues(['m', 'n']) });
  expect(filterOut('tag:team', 'b', within)).toEqual({ notTag: 'team=b' });
});

test('an unknown dimension falls back to the first one', () => {
  expect([readDimension('colour'), readDimension(undefined), readDimension('tag:x')]).toEqual([
    'model',
    'model',
    'tag:x',
  ]);
});
