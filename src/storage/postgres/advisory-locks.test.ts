import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const LOCK = /_LOCK = (7_4\d\d);|pg_advisory_xact_lock(?:_shared)?\((7\d{3})\)/g;

test('each advisory lock number belongs to one file, so that different locks never wait for each other', () => {
  const owners = new Map<string, Set<string>>();
  for (const path of globSync('src/storage/**/*.ts').filter((each) => !each.includes('.test.')))
    for (const [, named, literal] of readFileSync(path, 'utf8').matchAll(LOCK)) {
      const number = (named ?? literal ?? '').replace('_', '');
      owners.set(number, (owners.get(number) ?? new Set()).add(path));
    }
  expect(owners.size).toBeGreaterThan(4);
  expect([...owners].filter(([, paths]) => paths.size > 1)).toEqual([]);
});
