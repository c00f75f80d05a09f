import { expect, test } from 'vitest';
import { silences } from './mute.ts';

const spike = { type: 'COST_SPIKE', scope: { key: 'key_1', model: 'm' } } as const;
const mute = { type: null, scope: {}, until: null } as const;

test.each([
  ['one of every type and scope', mute, true],
  ['one of its type', { ...mute, type: 'COST_SPIKE' }, true],
  ['one of another type', { ...mute, type: 'ERROR_SPIKE' }, false],
  ['one of its key', { ...mute, scope: { key: 'key_1' } }, true],
  ['one of another key', { ...mute, scope: { key: 'key_2' } }, false],
  ['one of its key and another model', { ...mute, scope: { key: 'key_1', model: 'n' } }, false],
  ['one of a tag that it does not name', { ...mute, scope: { 'tag:team': 'a' } }, false],
  ['one that ends later', { ...mute, until: 101 }, true],
  ['one that ends now', { ...mute, until: 100 }, false],
] as const)('an alert and %s', (_, given, silent) => {
  expect(silences(given, spike, 100)).toBe(silent);
});

test('trouble of the installation is never muted', () => {
  expect(silences(mute, { type: 'JOURNAL_PROBLEM', scope: {} }, 0)).toBe(false);
  expect(silences(mute, { type: 'OVERRUN', scope: {} }, 0)).toBe(false);
});
