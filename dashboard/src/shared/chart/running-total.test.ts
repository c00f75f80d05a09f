import { expect, test } from 'vitest';
import { forecastBand, runningLayers, runningTotal } from './running-total.ts';

test('a running total continues from what was used before', () => {
  expect(runningTotal([1, 0, 2], 5)).toEqual([6, 6, 8]);
});

test('running layers add up this period and the previous one, and keep their totals', () => {
  const layer = { value: 'm', total: 3, leftOut: null, leftOutAt: [] };
  const layers = [{ ...layer, amounts: [1, 0, 2], previous: { amounts: [2, 2, 2], total: 6 } }];
  expect(runningLayers(layers)).toEqual([{ ...layer, amounts: [1, 1, 3], previous: { amounts: [2, 4, 6], total: 6 } }]);
});

test('a forecast starts at the total of now, ends at the forecast, and leaves out the past', () => {
  const atEnd = { low: 20, middle: 30, high: 40 };
  const { columns } = forecastBand({ total: 10, atEnd, ends: [100, 200, 300, 400], now: 200 });
  expect(columns).toEqual([null, null, { low: 15, middle: 20, high: 25 }, atEnd]);
});

test('a window that is over has no forecast', () => {
  const atEnd = { low: 1, middle: 1, high: 1 };
  expect(forecastBand({ total: 1, atEnd, ends: [100], now: 100 }).columns).toEqual([null]);
});
