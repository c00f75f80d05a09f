import { expect, test } from 'vitest';
import type { UsageSeries } from '../../../../src/contract/usage.ts';
import { breakdownRows } from './breakdown-rows.ts';

const POINT: UsageSeries['points'][number] = {
  start: '2026-11-01T00:00:00.000Z',
  value: '200',
  calls: 2,
  failedCalls: 0,
  cost: 0.5,
  inputTokens: 1,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 1,
};
const UNCERTAIN = { ...POINT, uncertainCalls: 1, uncertainUpTo: 0.25 };

test('interrupted calls count as uncertain with their possible cost, whatever their status', () => {
  const period = { start: '2026-11-01T00:00:00.000Z', end: '2026-12-01T00:00:00.000Z' };
  const series: UsageSeries = {
    period,
    step: 'month',
    timeZone: 'UTC',
    by: 'status',
    starts: [period.start],
    points: [UNCERTAIN, { ...UNCERTAIN, unpricedCalls: 3 }, { ...POINT, value: '529', failedCalls: 2, cost: 0 }],
    comparison: { period, starts: [period.start], points: [{ ...UNCERTAIN, unpricedUsage: true }] },
  };
  expect(breakdownRows(series)).toMatchObject([
    {
      value: '200',
      failedCalls: 0,
      uncertainCalls: 2,
      uncertainUpTo: 0.5,
      unpricedCalls: 3,
      unpricedUsage: false,
      before: { cost: 0.5, uncertainUpTo: 0.25, unpricedCalls: 0, unpricedUsage: true },
    },
    { value: '529', failedCalls: 2, uncertainCalls: 0, uncertainUpTo: 0 },
  ]);
});
