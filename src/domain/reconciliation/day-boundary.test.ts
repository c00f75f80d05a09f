import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { GatewayUse } from './gateway-use.ts';
import { type DaySides, isProven, belongsToEndDay, scoreBoundary } from './day-boundary.ts';

const TERMS = { provider: 'acme', tier: '', geo: '', speed: '', step: 0, provenance: null };
const use = (output: number, isSure = true): Pick<GatewayUse, 'terms' | 'amounts'> => ({
  terms: { ...TERMS, certainty: isSure ? 'used' : 'at_most' },
  amounts: { output },
});
const isEnd = (...night: Parameters<typeof scoreBoundary>): boolean => belongsToEndDay([scoreBoundary(...night)]);
/** What calls of a day used: within it, and under way at its end. */
const day = (reported: number, within: number, late: number, isSure = true): DaySides => ({
  reported: [{ output: reported }],
  passed: [use(within), use(late, isSure)],
  late: [use(late, isSure)],
});

test('a call counts on the day whose report contains it', () => {
  expect(isEnd([], day(15, 10, 5), day(3, 3, 0))).toBe(false);
  expect(isEnd([], day(10, 10, 5), day(8, 3, 0))).toBe(true);
});

test('unproxied usage does not move a call to its day', () => {
  expect(isEnd([], day(15, 10, 5), day(103, 3, 0))).toBe(false);
  expect(isEnd([], day(110, 10, 5), day(8, 3, 0))).toBe(false);
  expect(isEnd([], day(10, 10, 5), day(108, 3, 0))).toBe(true);
});

test('a call with a lost response counts on the day whose report has room for it', () => {
  expect(isEnd([], day(12, 10, 5, false), day(3, 3, 0))).toBe(false);
  expect(isEnd([], day(10, 10, 5, false), day(5, 3, 0))).toBe(true);
  expect(isEnd([], day(10, 10, 5, false), day(3, 3, 0))).toBe(false);
});

describe('the day of an uncertain call', () => {
  const unsure = (certainty: 'noted' | 'estimated', effective: number, bound: number): DaySides['late'] => [
    { terms: { ...TERMS, certainty: 'at_most' }, amounts: { output: bound } },
    { terms: { ...TERMS, certainty }, amounts: { output: effective } },
  ];
  const between = (
    calls: DaySides['late'],
    first: number,
    second: number,
    unproxied: DaySides['passed'] = [],
  ): boolean =>
    isEnd(
      [],
      { reported: [{ output: first }], passed: calls, late: calls },
      { reported: [{ output: second }], passed: unproxied, late: [] },
    );

  test('is the one whose report has the usage noted, even if other bounds leave room for it on both', () => {
    const noon = unsure('noted', 0, 90);
    expect(between(unsure('noted', 10, 50), 10, 5, noon)).toBe(false);
    expect(between(unsure('noted', 10, 50), 5, 15, noon)).toBe(true);
    // Used elsewhere too, and more of it on the day before.
    expect(between(unsure('noted', 10, 50), 9, 600)).toBe(true);
    expect(between(unsure('noted', 10, 50), 600, 9)).toBe(false);
  });

  test('is not moved by an estimate that may be too high to a day that leaves usage unexplained', () => {
    const noon = unsure('noted', 0, 15);
    expect(between(unsure('estimated', 10, 50), 8, 15, noon)).toBe(false);
    expect(between(unsure('estimated', 10, 50), 8, 15, unsure('noted', 0, 23))).toBe(false);
  });

  test('is decided by the estimate if both days have room for it', () => {
    const noon = unsure('noted', 0, 90);
    expect(between(unsure('estimated', 10, 50), 0, 15, noon)).toBe(true);
    expect(between(unsure('estimated', 10, 50), 10, 5, noon)).toBe(false);
  });
});

test('a day that may still change is ignored: the day before decides by what it lacks', () => {
  expect(isEnd([], day(10, 10, 5), null)).toBe(true);
  expect(isEnd([], day(15, 10, 5), null)).toBe(false);
  expect(isEnd([], day(10, 10, 5, false), null)).toBe(false);
});

test('calls that run at every midnight count on the day on which the provider has them', () => {
  const size = fc.integer({ min: 1, max: 90 });
  fc.assert(
    fc.property(size, size, size, fc.nat(500), fc.boolean(), (before, late, after, within, atEnd) => {
      // Three midnights alike look the same either way.
      fc.pre(before !== late || late !== after);
      const [more, less] = atEnd ? [before - late, late - after] : [0, 0];
      const first = day(within + late + more, within, late);
      const second = day(within + after + less, within, after);
      expect(isEnd([use(before)], first, second)).toBe(atEnd);
    }),
  );
});

test('a midnight that fits both days is decided by the midnights next to it', () => {
  // Five tokens each night, of a provider that has them where they ended: the first day lacks them, the last has more.
  const nights = [
    scoreBoundary([], day(10, 10, 5), day(10, 5, 5)),
    scoreBoundary([use(5)], day(10, 5, 5), day(10, 5, 5)),
    scoreBoundary([use(5)], day(10, 5, 5), day(8, 3, 0)),
  ];
  expect(nights.map((night) => [isProven(night), belongsToEndDay([night])])).toEqual([
    [true, true],
    [false, false],
    [false, true],
  ]);
  expect(belongsToEndDay(nights)).toBe(true);
});
