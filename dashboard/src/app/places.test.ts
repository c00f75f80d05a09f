import { expect, test } from 'vitest';
import { findPlace } from './places.ts';

test('a page is found by its name, its beginning or a part of it', () => {
  expect(['Calls', 'lim', 'reports', ' settings '].map(findPlace)).toEqual([
    '/calls',
    '/limits',
    '/reports',
    '/settings',
  ]);
});

test('a call is found by its id, and nothing else is an address', () => {
  expect(findPlace('call_01jd8xabc')).toBe('/calls/call_01jd8xabc');
  expect(['', 'nowhere', '//evil.example', 'call_../x'].map(findPlace)).toEqual([null, null, null, null]);
});
