import { expect, test } from 'vitest';
import { normalScore, probationOf, scoreFile, STANDARD } from './numenta-score.ts';

const FILE = { rows: 1_000, windows: [{ first: 500, last: 599 }] };
const scored = (...alerts: number[]): number => scoreFile({ ...FILE, alerts }, STANDARD);

test('an alert at the first row of a window is worth one, a later one less, and no alert costs one', () => {
  expect(scored(500)).toBeCloseTo(1, 10);
  expect(scored(550)).toBeCloseTo(0.8483 / 0.9866, 3);
  expect(scored(599, 550, 520)).toBe(scored(520));
  expect(scored()).toBe(-1);
});

test('a false alert costs 0.11, less right after a window, and nothing in the probation', () => {
  expect(scored(500, 400)).toBeCloseTo(1 - 0.11, 10);
  expect(scored(500, 600)).toBeGreaterThan(1 - 0.01);
  expect(scored(500, 990)).toBeCloseTo(1 - 0.11, 2);
  expect(probationOf(1_000)).toBe(150);
  expect(scored(500, 149)).toBeCloseTo(1, 10);
});

test('no alert scores 0, every alert without delay scores 100', () => {
  expect(normalScore(-116, 116, STANDARD)).toBe(0);
  expect(normalScore(116, 116, STANDARD)).toBe(100);
});
