import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findJsonExcess } from './json-limits.ts';

const MAXIMA = { depth: 3, members: 4 };

test.each([
  ['[[[1]]]', null],
  ['[[[[1]]]]', 'depth'],
  ['[[[[[[[[', 'depth'],
  ['{"a":{"b":{"c":{}}}}', 'depth'],
  ['[[],[],[[]],1]', null],
  ['[1,2,3,4]', null],
  ['[1,2,3,4,5]', 'members'],
  ['{"a":1,"b":2,"c":3,"d":4,"e":5}', 'members'],
  ['[[1,2,3],[1,2,3],[1,2,3]]', null],
  ['"[[[[[,,,,,,"', null],
  ['{"[[[[,,,,,":"{{{{,,,,,,"}', null],
  ['["\\",,,,,\\\\",1,2,3]', null],
  ['["\\\\",1,2,3,4]', 'members'],
  ['"\\', null],
  [',,,,,,,', null],
  [']]],[1,2,3,4', null],
] as const)('the exceeded limit of %s is %s', (json, excess) => {
  expect(findJsonExcess(json, MAXIMA)).toBe(excess);
});

/** The same, of the value. */
function excessOf(value: unknown, depth = 0): 'depth' | 'members' | null {
  if (typeof value !== 'object' || value === null) return null;
  if (depth === MAXIMA.depth) return 'depth';
  const items: unknown[] = Object.values(value);
  for (const [index, item] of items.entries()) {
    if (index === MAXIMA.members) return 'members';
    const found = excessOf(item, depth + 1);
    if (found) return found;
  }
  return null;
}

test('the exceeded limit is found, whatever strings the value contains', () => {
  const value = fc.jsonValue({ maxDepth: 5, stringUnit: fc.constantFrom('"', '\\', '[', '{', ',', 'a') });
  fc.assert(fc.property(value, (any) => findJsonExcess(JSON.stringify(any), MAXIMA) === excessOf(any)));
});
