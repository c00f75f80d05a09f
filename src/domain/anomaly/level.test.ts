import { describe, expect, test } from 'vitest';
import { seeded } from '../../../test/seeded.ts';
import { type DetectionContext, makeDetectionContext } from './detection-context.ts';
import { makeGrid, makeTrack } from './grid.ts';
import { judgeCost, judgeDrop } from './level.ts';
import { type DetectionSensitivity, type SeriesScope, WHOLE_WORKSPACE } from './series.ts';
import { HOUR_MS } from '../time/units.ts';

const START = Date.UTC(2026, 0, 5);
const DAY = 24;
const USD = 1_000_000_000;
/** An hour at night with four weeks before it. */
const NOW = 30 * DAY + 2;
const KEY: SeriesScope = { kind: 'key', id: 'ci', tag: '' };

type Usd = (hour: number) => number;
type Judge = typeof judgeCost;

interface Change {
  readonly sensitivity?: DetectionSensitivity;
  readonly scope?: SeriesScope;
  /** The judged hour is the last of them. */
  readonly hours?: number;
}

function benchOf(
  usd: Usd,
  { sensitivity = 'normal', scope = WHOLE_WORKSPACE, hours = NOW + 1 }: Change,
): DetectionContext {
  const grid = makeGrid(START, START + hours * HOUR_MS, 'UTC');
  const buckets = Array.from({ length: hours }, (_, i) => {
    const cost = Math.round(usd(i) * USD);
    return { hour: START + i * HOUR_MS, cost, calls: null, failed: null, tokens: null };
  });
  const track = makeTrack(grid, { scope, name: 'the series', hours: buckets });
  return makeDetectionContext(grid, [track], { sensitivity, minExcessNano: USD });
}

const noise = Array.from({ length: NOW + 1 }, seeded(3));
/** Returns 10 USD to 20 USD. */
const usual: Usd = (i) => 10 + 10 * (noise[i] ?? 0);
const isBusy = (i: number): boolean => i % DAY >= 8 && i % DAY < 18;

/** Judges the last hour, which has `usd`; `before` gives the hours before it. */
const isReported = (judge: Judge, before: Usd, usd: number, change: Change = {}): boolean => {
  const { hours = NOW + 1 } = change;
  const bench = benchOf((i) => (i === hours - 1 ? usd : before(i)), { ...change, hours });
  const [subject] = bench.subjects;
  return subject !== undefined && judge(bench, subject, hours - 1) !== null;
};

describe('spend above the usual', () => {
  const reports =
    (before: Usd, change: Change = {}) =>
    (usd: number): boolean =>
      isReported(judgeCost, before, usd, change);

  test('is reported from the distance that the sensitivity sets', () => {
    const amounts = [25, 29, 33, 36, 39, 42];
    const from = (sensitivity: DetectionSensitivity): number | undefined =>
      amounts.find(reports(usual, { sensitivity }));
    expect([from('high'), from('normal'), from('low')]).toEqual([29, 33, 39]);
  });

  test('of a part must be farther from its usual amount than spend of the whole workspace', () => {
    expect(reports(usual)(34)).toBe(true);
    expect(reports(usual, { scope: KEY })(34)).toBe(false);
    expect(reports(usual, { scope: KEY })(40)).toBe(true);
  });

  test('that a single earlier incident reached must be much farther from the usual amount', () => {
    const isIncident = (i: number): boolean => i >= 20 * DAY && i < 20 * DAY + 3;
    const after = reports((i) => (isIncident(i) ? 200 : usual(i)));
    expect([40, 55, 70, 190].map(after)).toEqual([false, false, true, true]);
  });

  test('that exceeds the highest earlier sum by less than 2 % is not reported', () => {
    const isHigh = (i: number): boolean => i % (5 * DAY) === 14;
    const after = reports((i) => (isHigh(i) ? 100 : usual(i) / 10));
    expect([99, 101, 103].map(after)).toEqual([false, false, true]);
  });

  test('that is usual at other hours is reported only if the hour of the day explains a quarter of all differences', () => {
    const isBurst = (i: number): boolean => i % 29 === 0 && i % DAY > 5;
    const burstAtNight = (night: number): boolean =>
      reports((i) => (isBurst(i) ? 40 : (isBusy(i) ? 10 : night) + (noise[i] ?? 0)))(40);
    expect([2, 8, 9, 10].map(burstAtNight)).toEqual([true, true, false, false]);
  });

  test('at a quiet hour is reported only if it is large compared with the differences between all hours', () => {
    const after = reports((i) => (isBusy(i) ? 10 : 0.2));
    expect([2, 4].map(after)).toEqual([false, true]);
  });
});

describe('spend below the usual', () => {
  /** Hours differ ninefold, so that nothing lies many spreads below the median. */
  const wild: Usd = (i) => 5 + 40 * (noise[i] ?? 0) ** 3;
  const reports = (usd: number, hours = NOW + 1): boolean => isReported(judgeDrop, wild, usd, { hours });

  test('is reported below a tenth of the lowest hour, however much hours differ', () => {
    expect([0, 0.4, 0.6, 3].map((usd) => reports(usd))).toEqual([true, true, false, false]);
  });

  test('is not reported as a stop before two weeks of history', () => {
    expect([13, 16].map((days) => reports(0, days * DAY))).toEqual([false, true]);
  });
});
