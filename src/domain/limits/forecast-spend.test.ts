import { describe, expect, test } from 'vitest';
import { type DaySpend, forecastSpend, projectWindow } from './forecast-spend.ts';
import { DAY_MS } from '../time/units.ts';

const TODAY = Date.UTC(2026, 5, 10);
const USD = 1_000_000_000;

function day(daysAgo: number, usd: number): DaySpend {
  const start = TODAY - daysAgo * DAY_MS;
  return { start, end: start + DAY_MS, spent: usd * USD };
}

function past(...usd: number[]): DaySpend[] {
  return usd.map((each, index) => day(usd.length - index, each));
}

/** At noon, with half of today's usual spent. */
const NOON = { now: TODAY + DAY_MS / 2, today: day(0, 5), coming: 20 };

test('with equal days the forecast continues evenly, without a range', () => {
  const spent = 95 * USD;
  const said = forecastSpend({ ...NOON, spent, past: past(10, 10, 10, 10, 10, 10, 10, 10, 10) });
  const expected = 95 * USD + 5 * USD + 20 * 10 * USD;
  expect(said).toEqual({ expected, low: expected, high: expected, days: 9 });
});

test('there is no forecast from fewer than three whole days', () => {
  expect(forecastSpend({ ...NOON, spent: 0, past: past(10, 10) })).toBeNull();
  expect(forecastSpend({ ...NOON, spent: 0, past: past(10, 10, 10) })).not.toBeNull();
});

test('quiet weekends are forecast as quiet', () => {
  const week = [10, 10, 10, 10, 10, 0, 0];
  const said = forecastSpend({ ...NOON, coming: 6, spent: 0, past: past(...week, ...week, ...week, ...week) });
  const flat = forecastSpend({ ...NOON, coming: 6, spent: 0, past: past(...Array.from({ length: 28 }, () => 50 / 7)) });
  expect((said?.expected ?? 0) / USD).toBeGreaterThan(40);
  expect((said?.expected ?? 0) / USD).toBeLessThan(56);
  expect((said?.expected ?? 0) / USD).not.toBeCloseTo((flat?.expected ?? 0) / USD, 0);
});

test('recent growth counts more than old days', () => {
  const grown = forecastSpend({ ...NOON, spent: 0, past: past(...few(21, 10), ...few(7, 40)) });
  expect((grown?.expected ?? 0) / USD / 20.5).toBeGreaterThan(24);
});

test('the forecast is never below the spend so far, however much days vary', () => {
  const said = forecastSpend({ ...NOON, coming: 1, spent: 500 * USD, past: past(0, 400, 0, 3, 0, 900, 0) });
  expect(said?.low).toBeGreaterThanOrEqual(500 * USD);
});

test('at the last instant of a period the forecast is the spend', () => {
  const said = forecastSpend({ ...NOON, now: TODAY + DAY_MS, coming: 0, spent: 70 * USD, past: past(1, 9, 4) });
  expect(said).toMatchObject({ expected: 70 * USD, low: 70 * USD, high: 70 * USD });
});

describe('four of five months end in the forecast range', () => {
  test.each([
    ['quiet', 0.2, 4],
    ['lively', 0.6, 4],
    ['wild', 1, 4],
    ['young and lively', 0.6, 1],
  ])('if days are %s', (_, noise, weeks) => {
    let inside = 0;
    const months = 600;
    const random = seeded(weeks * 1_000 + noise * 10);
    for (let month = 0; month < months; month += 1) {
      const drawn = (ahead: number): number =>
        (((ahead % 7) + 7) % 7 < 5 ? 10 : 3) * Math.exp(noise * normal(random) - noise ** 2 / 2);
      const before = Array.from({ length: weeks * 7 }, (_unused, index) => drawn(index - weeks * 7));
      const coming = Array.from({ length: 20 }, (_unused, index) => drawn(index + 1));
      const said = forecastSpend({ ...NOON, now: TODAY + DAY_MS, today: day(0, 10), spent: 0, past: past(...before) });
      const total = coming.reduce((sum, each) => sum + each, 0) * USD;
      if (said && total >= said.low && total <= said.high) inside += 1;
    }
    expect(inside / months).toBeGreaterThan(0.72);
    expect(inside / months).toBeLessThan(0.99);
  });
});

function few(count: number, usd: number): number[] {
  return Array.from({ length: count }, () => usd);
}

function seeded(seed: number): () => number {
  let state = Math.round(seed) + 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
}

const DAY = { windowStart: 1_000_000, windowEnd: 1_100_000 };

test.each([
  ['half of the window', 1_050_000, 4_000, 8_000],
  ['all of it', 1_100_000, 4_000, 4_000],
  ['exactly five per cent', 1_005_000, 100, 2_000],
  ['a third, rounded', 1_030_000, 1_000, 3_333],
  ['nothing counted', 1_050_000, 0, 0],
  ['a sum beyond the exact numbers', 1_050_000, 2n ** 60n, 2 ** 61],
  ['less than five per cent', 1_004_999, 100, null],
  ['a window that has not begun', 999_999, 100, null],
  ['a window that is over', 1_100_001, 100, null],
])('a window continues at its pace so far: %s', (_, at, counted, expected) => {
  expect(projectWindow({ counted, ...DAY }, at)).toBe(expected);
});

test('a window that never ends has no projection', () => {
  expect(projectWindow({ counted: 5, windowStart: 0, windowEnd: null }, 1_000)).toBeNull();
});
