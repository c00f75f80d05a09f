import { expect, test } from 'vitest';
import { listPages } from './navigation.ts';

test('nodes are listed only where there can be several', () => {
  const paths = (showsNodes: boolean) => listPages(showsNodes).map(({ path }) => path);
  expect(paths(false)).not.toContain('/nodes');
  expect(paths(true)).toEqual([...paths(false).slice(0, -2), '/nodes', '/settings', '/help']);
});
