import { expect, test } from 'vitest';
import type { UsageSeries } from '../../../../src/contract/usage.ts';
import { stackLayers } from './stack.ts';

const STARTS = ['2026-11-20T00:00:00.000Z', '2026-11-21T00:00:00.000Z'];

function point(day: number, value: string | null, cost: number): UsageSeries['points'][number] {
  const none = { failedCalls: 0, inputTokens: 1, cacheReadTokens: 2, cacheWriteTokens: 3, outputTokens: 4 };
  return { start: STARTS[day] ?? '', value, cost, calls: 1, ...none };
}

function series(points: UsageSeries['points']): UsageSeries {
  return {
    period: { start: STARTS[0] ?? '', end: '2026-11-22T00:00:00.000Z' },
    step: 'day',
    timeZone: 'UTC',
    by: 'model',
    starts: [...STARTS],
    points,
  };
}

test('the largest value is the lowest layer; other values and missing values are last', () => {
  const layers = stackLayers(
    series([point(0, '(other)', 90), point(1, null, 80), point(0, 'small', 1), point(1, 'big', 7)]),
    'cost',
  );
  expect(layers.map(({ value }) => value)).toEqual(['big', 'small', '(other)', null]);
  expect(layers[0]).toMatchObject({ value: 'big', amounts: [0, 7], total: 7, leftOut: null, previous: null });
});

test('tokens are the sum of every class', () => {
  expect(stackLayers(series([point(0, 'a', 0)]), 'tokens')[0]?.total).toBe(10);
});

test('calls without a price are mentioned for cost only', () => {
  const unpriced = series([{ ...point(0, 'new model', 0), unpricedCalls: 1 }]);
  expect(stackLayers(unpriced, 'cost')[0]).toMatchObject({ total: 0, leftOut: '1 call without a price' });
  expect(stackLayers(unpriced, 'calls')[0]).toMatchObject({ total: 1, leftOut: null });
});

test('usage without a price whose calls are not counted is mentioned once for all steps', () => {
  const use = { value: 'new model', unpricedUsage: true };
  const unpriced = series([{ ...point(0, '', 0), ...use }, { ...point(1, '', 2), ...use }, point(0, 'old', 0)]);
  expect(stackLayers(unpriced, 'cost')).toMatchObject([
    { total: 2, leftOut: 'some usage without a price' },
    { leftOut: null },
  ]);
});

test('the previous period lies under this one step by step, with values that are gone', () => {
  const period = { start: '2026-11-18T00:00:00.000Z', end: '2026-11-20T00:00:00.000Z' };
  const starts = ['2026-11-18T00:00:00.000Z', '2026-11-19T00:00:00.000Z'];
  const points = [
    { ...point(0, 'a', 2), start: starts[0] ?? '' },
    { ...point(0, 'gone', 3), start: starts[1] ?? '' },
  ];
  const compared = { ...series([point(1, 'a', 1)]), comparison: { period, starts, points } };
  expect(stackLayers(compared, 'cost').map(({ value, total, previous }) => [value, total, previous])).toEqual([
    ['a', 1, { amounts: [2, 0], total: 2 }],
    ['gone', 0, { amounts: [0, 3], total: 3 }],
  ]);
});
