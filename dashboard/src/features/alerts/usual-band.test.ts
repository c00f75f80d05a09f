import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../../src/domain/time/units.ts';
import { usualBand } from './usual-band.ts';

const MIDNIGHT = Date.UTC(2026, 2, 1);

test('the usual range of an hour comes from the same hours of the days before, without their extremes', () => {
  const history = Array.from({ length: 28 }, (_, day) => [
    { at: MIDNIGHT + day * DAY_MS + 12 * HOUR_MS, amount: day === 5 ? 1_000 : 10 },
    { at: MIDNIGHT + day * DAY_MS + 3 * HOUR_MS, amount: 1 },
  ]).flat();
  const shown = [3, 12, 20].map((hour) => MIDNIGHT + 30 * DAY_MS + hour * HOUR_MS);
  expect(usualBand(history, shown).columns).toEqual([
    { low: 1, middle: 1, high: 1 },
    { low: 10, middle: 10, high: 10 },
    null,
  ]);
});

test('the hour before and after midnight are neighbors', () => {
  const history = Array.from({ length: 6 }, (_, day) => ({ at: MIDNIGHT + day * DAY_MS - HOUR_MS, amount: 2 }));
  expect(usualBand(history, [MIDNIGHT]).columns).toEqual([{ low: 2, middle: 2, high: 2 }]);
});

test('a few hours of history say nothing about what is usual', () => {
  expect(usualBand([{ at: MIDNIGHT, amount: 2 }], [MIDNIGHT]).columns).toEqual([null]);
});
