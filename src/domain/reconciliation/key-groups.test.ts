import { expect, test } from 'vitest';
import { groupKeys } from './key-groups.ts';
import type { HeldProviderKey } from './held-keys.ts';

const held = (id: string, key: string | null, ...wrappedKeyIds: string[]): HeldProviderKey => ({
  id,
  key,
  fingerprint: null,
  ends: null,
  lastFour: key === null ? 'igAA' : key.slice(-4),
  wrappedKeyIds,
  heldSince: 0,
  heldUntil: null,
});
const KEY = 'sk-ant-api03-R2Dxxxxxxxxxxxxxxxxxxxxigbb';
const OTHER = 'sk-ant-api03-Q7Exxxxxxxxxxxxxxxxxxxxigcc';
const hint = (key: string): string => `${key.slice(0, 16)}...${key.slice(-4)}`;

test('a reported key and its wrapped keys in any workspace are one group', () => {
  const reported = [
    { id: 'r1', hint: hint(KEY) },
    { id: 'r2', hint: hint(OTHER) },
    { id: 'r3', hint: 'sk-ant-api03-zzz...igdd' },
  ];
  const { ofReported, ofWrapped, unsure } = groupKeys(
    reported,
    [held('pk_1', KEY, 'a'), held('pk_2', KEY, 'b', 'c'), held('pk_3', OTHER, 'd')],
    ['a', 'b', 'c', 'd', 'e'],
  );
  const first = ofReported.get('r1');
  expect(['a', 'b', 'c'].map((id) => ofWrapped.get(id))).toEqual([first, first, first]);
  expect(ofWrapped.get('d')).toBe(ofReported.get('r2'));
  expect(ofWrapped.get('d')).not.toBe(first);
  expect(ofReported.has('r3')).toBe(false);
  expect([...ofReported.values()]).not.toContain(ofWrapped.get('e'));
  expect([...unsure]).toEqual([]);
});

test('keys that look alike are in one group with all that they may be', () => {
  const alike = KEY.replace('xx', 'yy');
  const { ofReported, ofWrapped, unsure } = groupKeys(
    [{ id: 'r1', hint: hint(KEY) }],
    [held('pk_1', KEY, 'a'), held('pk_2', alike, 'b')],
    ['a', 'b'],
  );
  expect(ofWrapped.get('a')).toBe(ofReported.get('r1'));
  expect(ofWrapped.get('b')).toBe(ofReported.get('r1'));
  expect([...unsure]).toEqual([ofReported.get('r1')]);
});

test('a reported key without a hint may be any unmatched key that was called, and no matched one', () => {
  const reported = [
    { id: 'r1', hint: hint(KEY) },
    { id: 'r2', hint: null },
    { id: 'r3', hint: null },
  ];
  const { ofReported, ofWrapped, unsure } = groupKeys(reported, [held('pk_1', KEY, 'a', 'b')], ['a', 'x', 'y']);
  expect(ofWrapped.get('a')).toBe(ofReported.get('r1'));
  const group = ofReported.get('r2');
  expect([ofReported.get('r3'), ofWrapped.get('x'), ofWrapped.get('y')]).toEqual([group, group, group]);
  expect(group).not.toBe(ofReported.get('r1'));
  expect([...unsure]).toEqual([group]);
});
