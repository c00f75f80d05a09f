import { expect, test } from 'vitest';
import { findPagePath, listPages } from './navigation.ts';

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

test('nodes are listed only where there can be several', () => {
  const paths = (showsNodes: boolean) => listPages(showsNodes).map(({ path }) => path);
  expect(paths(false)).not.toContain('/nodes');
  expect(paths(true)).toEqual([...paths(false).slice(0, -2), '/nodes', '/settings', '/help']);
});
