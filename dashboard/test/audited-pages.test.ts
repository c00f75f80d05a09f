import { expect, test } from 'vitest';
import { SIGNED_OUT_PATHS, PAGE_PATHS, PLACES, ROW_PLACES } from '../../test/browser/places.ts';
import { navigationPages } from '../src/app/navigation.ts';
import { signedOutRoutes, pageRoutes } from '../src/app/routes.tsx';

const pathsOf = (routes: typeof pageRoutes): readonly string[] =>
  routes.map(({ options }) => (options as { path: string }).path);

test('every route is visited and audited in a browser', () => {
  expect(PAGE_PATHS).toEqual(pathsOf(pageRoutes));
  expect(SIGNED_OUT_PATHS).toEqual(pathsOf(signedOutRoutes));
  const visited = [...PLACES, ...ROW_PLACES.map(([list, rest]) => `${list}/$${rest}`)];
  expect(pathsOf(pageRoutes).filter((path) => !visited.includes(path.replace(/\$\w+/, '$')))).toEqual([]);
  expect(ROW_PLACES.map(([list]) => list).filter((list) => !PLACES.includes(list))).toEqual([]);
});

test('every page of the navigation has a route', () => {
  expect(navigationPages.map(({ path }) => path).filter((path) => !pathsOf(pageRoutes).includes(path))).toEqual([]);
});
