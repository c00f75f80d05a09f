import { expect, test } from 'vitest';
import { dimensionQuery, filterFor, readDimension, valueName } from './dimensions.ts';

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

test('an unknown dimension falls back to the first one', () => {
  expect([readDimension('colour'), readDimension(undefined), readDimension('tag:x')]).toEqual([
    'model',
    'model',
    'tag:x',
  ]);
});
