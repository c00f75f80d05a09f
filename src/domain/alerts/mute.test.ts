import { expect, test } from 'vitest';
import { silences } from './mute.ts';

const spike = { type: 'COST_SPIKE', scope: { key: 'key_1', model: 'm' } } as const;
const mute = { type: null, scope: {}, until: null } as const;

test.each([
  ['a mute of every type and scope', mute, true],
  ['a mute of its type', { ...mute, type: 'COST_SPIKE' }, true],
  ['a mute of another type', { ...mute, type: 'ERROR_SPIKE' }, false],
  ['a mute of its key', { ...mute, scope: { key: 'key_1' } }, true],
  ['a mute of another key', { ...mute, scope: { key: 'key_2' } }, false],
  ['a mute of its key and another model', { ...mute, scope: { key: 'key_1', model: 'n' } }, false],
  ['a mute of a tag that it does not name', { ...mute, scope: { 'tag:team': 'a' } }, false],
  ['a mute that ends later', { ...mute, until: 101 }, true],
  ['a mute that ends now', { ...mute, until: 100 }, false],
] as const)('an alert is muted only by a mute that matches it: %s', (_, given, silent) => {
  expect(silences(given, spike, 100)).toBe(silent);
});

test('health alerts are never muted', () => {
  expect(silences(mute, { type: 'JOURNAL_PROBLEM', scope: {} }, 0)).toBe(false);
  expect(silences(mute, { type: 'OVERRUN', scope: {} }, 0)).toBe(false);
});
