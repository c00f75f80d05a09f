import { expect, test } from 'vitest';
import { chooseColors, rememberColors, seriesColors } from './series-colors.ts';

const NAMES = ['claude-sonnet-5', 'gpt-5.4', 'claude-opus-4-8', 'gemini-2.5-pro', 'claude-haiku-4-5', 'gpt-5-mini'];
const NONE = new Map<string, number>();

test('the color of a name does not depend on its rank', () => {
  expect(chooseColors(NAMES.toReversed(), NONE)).toEqual(chooseColors(NAMES, NONE));
});

test('as many names as there are colors all differ', () => {
  const many = Array.from({ length: 8 }, (_, index) => `value ${index}`);
  expect(new Set(chooseColors(many, NONE).values()).size).toBe(8);
});

test('a name keeps its color when a filter leaves it alone, or with others', () => {
  const chosen = chooseColors(NAMES, NONE);
  const remembered = rememberColors(NONE, chosen);
  for (const name of NAMES) expect(chooseColors([name], remembered).get(name)).toBe(chosen.get(name));
  const withNew = chooseColors([...NAMES, 'aaa'], remembered);
  for (const name of NAMES) expect(withNew.get(name)).toBe(chosen.get(name));
});

test('a name that gives way on one chart keeps its color on others', () => {
  const remembered = new Map([
    ['a', 3],
    ['b', 3],
  ]);
  const chosen = chooseColors(['b', 'a'], remembered);
  expect([chosen.get('a'), chosen.get('b')]).toEqual([3, 4]);
  expect(rememberColors(remembered, chosen).get('b')).toBe(3);
});

test('the number of remembered names is bounded', () => {
  const many = new Map(Array.from({ length: 600 }, (_, index) => [`value ${index}`, 1]));
  const remembered = rememberColors(many, new Map([['new', 2]]));
  expect([remembered.size, remembered.get('new'), remembered.has('value 0')]).toEqual([500, 2, false]);
});

test('other values and missing values are gray, and everything together has the first color', () => {
  expect(seriesColors([null])).toEqual(['--series-1']);
  const [first, ...rest] = seriesColors(['gpt-5.4', '(other)', null]);
  expect(first).toMatch(/^--series-[1-8]$/);
  expect(rest).toEqual(['--series-other', '--series-other']);
});
