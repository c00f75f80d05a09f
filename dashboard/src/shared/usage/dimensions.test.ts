import { expect, test } from 'vitest';
import { dimensionQuery, filterFor, readDimension, valueName } from './dimensions.ts';

const KEYS = new Map([['key_1', 'batch']]);

test.each([
  ['key', 'key_1', 'batch'],
  ['key', 'key_gone', 'key_gone'],
  ['key', null, 'without a key'],
  ['tag:team', null, 'without the tag'],
  ['model', null, 'not known'],
  ['source', 'claude_code', 'Claude Code'],
  ['status', '0', 'no answer'],
  ['model', '(other)', 'all others'],
])('by %s, %s is called %s', (dimension, value, name) => expect(valueName(dimension, value, KEYS)).toBe(name));

test('a tag is told apart by its own name, and one value of it is one filter', () => {
  expect(dimensionQuery('tag:team')).toEqual({ by: 'tag', tagKey: 'team' });
  expect(filterFor('tag:team', 'a=b')).toEqual({ tag: 'team=a=b' });
  expect(filterFor('model', 'm')).toEqual({ model: 'm' });
});

test('a dimension that there is not is the first one', () => {
  expect([readDimension('colour'), readDimension(undefined), readDimension('tag:x')]).toEqual([
    'model',
    'model',
    'tag:x',
  ]);
});
