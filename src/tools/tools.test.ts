import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tools } from './tools.ts';

const README = readFileSync('src/tools/README.md', 'utf8');

test('tools have names of their own, and the README has a row for each, in their order', () => {
  const names = tools.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(README.split('\n').flatMap((line) => /^\| `(svc_\w+)`/.exec(line)?.[1] ?? [])).toEqual(names);
});
