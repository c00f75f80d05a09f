import { expect, test } from 'vitest';
import { matchProviderKeys } from './match-provider-keys.ts';

const KEY = 'sk-ant-api03-R2DxxxxxxxxxxxxxxxxigAA';
const HINT = 'sk-ant-api03-R2D...igAA';
const NOTHING_KEPT = { fingerprint: null, ends: null };
const heldAs = (id: string, key: string | null) => ({
  ...NOTHING_KEPT,
  id,
  key,
  lastFour: key === null ? 'none' : null,
});
const match = (hint: string | null, ...keys: (string | null)[]) =>
  matchProviderKeys(
    [{ id: 'apikey_1', hint }],
    keys.map((key, index) => heldAs(`pk_${index}`, key)),
  ).get('apikey_1');

test('a key is found by its first and last characters together', () => {
  expect(match(HINT, 'sk-ant-api03-R2Dxxxxxxxxxxxxxxxxother', KEY, 'sk-ant-api03-ABCxxxxxxxxxxigAA')).toEqual({
    is: 'one',
    heldIds: ['pk_1'],
  });
  expect(match('sk-proj-ab***wxyz', 'sk-proj-ab12345wxyz')).toEqual({ is: 'one', heldIds: ['pk_0'] });
  expect(match(HINT, 'sk-ant-api03-ABCxxxxxxxxxxigAA')).toEqual({ is: 'none' });
  expect(match(HINT, null)).toEqual({ is: 'none' });
});

test('the same key stored by several workspaces is one key', () => {
  expect(match(HINT, KEY, KEY)).toEqual({ is: 'one', heldIds: ['pk_0', 'pk_1'] });
});

test('different keys that look alike are reported as several, never as one of them', () => {
  const alike = KEY.replace('xx', 'yy');
  const expected = { is: 'several', heldIds: ['pk_0', 'pk_1'], hintedIds: ['apikey_1'] };
  expect(match(HINT, KEY, alike)).toEqual(expected);
});

test('two reported keys that look alike both match the held key as several', () => {
  const hinted = ['apikey_1', 'apikey_2'].map((id) => ({ id, hint: HINT }));
  const several = { is: 'several', heldIds: ['pk_0'], hintedIds: ['apikey_1', 'apikey_2'] };
  const matches = matchProviderKeys(hinted, [{ ...NOTHING_KEPT, id: 'pk_0', key: KEY, lastFour: 'igAA' }]);
  expect([...matches.values()]).toEqual([several, several]);
});

test('a hint that is missing, unreadable or too short is unknown, not a key that was never wrapped', () => {
  for (const hint of [null, '', '...', 'sk-ant-api03-R2D', 'sk-ant-api03-R2D...', '...igAA', 'sk-...AA', 'a...b...c'])
    expect(match(hint, KEY)).toEqual({ is: 'unknown' });
});

test('head and tail may not overlap: a short key does not match a longer hint', () => {
  expect(match('abcdefg...efghij', 'abcdefghij')).toEqual({ is: 'none' });
});

test('the result contains no key', () => {
  expect(JSON.stringify(match(HINT, KEY, KEY.replace('xx', 'yy')))).not.toContain('xx');
});

test('a reported key that may be a removed key without kept ends is unknown, not one that was never wrapped', () => {
  const lost = (lastFour: string | null) =>
    matchProviderKeys([{ id: 'apikey_1', hint: HINT }], [{ ...NOTHING_KEPT, id: 'pk_0', key: null, lastFour }]);
  expect(lost('igAA').get('apikey_1')).toEqual({ is: 'unknown' });
  expect(lost(null).get('apikey_1')).toEqual({ is: 'unknown' });
  expect(lost('wxyz').get('apikey_1')).toEqual({ is: 'none' });
});

test('a removed key is found by its kept ends, and is the same key as one held elsewhere', () => {
  const past = (head: string, tail: string, fingerprint = 'f1') => ({
    id: 'pf_1',
    key: null,
    fingerprint,
    ends: { head, tail },
    lastFour: tail,
  });
  const found = (...held: Parameters<typeof matchProviderKeys>[1]) =>
    matchProviderKeys([{ id: 'apikey_1', hint: HINT }], held).get('apikey_1');
  expect(found(past(KEY.slice(0, 20), 'igAA'))).toEqual({ is: 'one', heldIds: ['pf_1'] });
  expect(found(past('sk-ant-api03', 'igAA'))).toEqual({ is: 'one', heldIds: ['pf_1'] });
  expect(found(past('sk-ant-api03-ABC', 'igAA'))).toEqual({ is: 'none' });
  expect(found(past(KEY.slice(0, 20), 'wxyz'))).toEqual({ is: 'none' });
  const current = { id: 'pk_1', key: KEY, fingerprint: 'f1', ends: null, lastFour: 'igAA' };
  expect(found(past(KEY.slice(0, 20), 'igAA'), current)).toEqual({ is: 'one', heldIds: ['pf_1', 'pk_1'] });
  expect(found(past(KEY.slice(0, 20), 'igAA', 'f2'), current)).toMatchObject({ is: 'several' });
});
