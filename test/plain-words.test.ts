import { expect, test } from 'vitest';
import { countWording } from './plain-words.ts';

test('each kind of wording is counted', () => {
  const one = '/** What a call may cost. */\nexport interface Place {}\nfunction costOf() {}\n';
  const two = '/** Returns what nobody asked for. */\nfunction costOf() {}\n/** Returns the price of a call. */\n';
  expect(
    countWording([
      ['one.ts', one],
      ['two.ts', two],
    ]),
  ).toEqual({
    danglingOpenings: 1,
    archaicIdioms: 1,
    bareTypeNames: 1,
    functionsEndingInOf: 2,
    functionNamesInSeveralFiles: 2,
  });
});
