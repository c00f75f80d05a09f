import { expect, test } from 'vitest';
import { findPagePath } from './navigation.ts';

test('a page is found by its name, its beginning or a part of it', () => {
  expect(['Calls', 'lim', 'reports', ' settings '].map(findPagePath)).toEqual([
    '/calls',
    '/limits',
    '/reports',
    '/settings',
  ]);
});

test('a call is found by its id, and nothing else is an address', () => {
  expect(findPagePath('call_01jd8xabc')).toBe('/calls/call_01jd8xabc');
  expect(['', 'nowhere', '//evil.example', 'call_../x'].map(findPagePath)).toEqual([null, null, null, null]);
});
