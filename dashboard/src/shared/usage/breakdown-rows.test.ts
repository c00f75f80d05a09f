import { expect, test } from 'vitest';
import type { UsageSeries } from '../../../../src/contract/usage.ts';
import { breakdownRows, totalRow } from './breakdown-rows.ts';

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

test('the rows add up to the total, with all others and the previous period', () => {
  const period = { start: '2026-11-01T00:00:00.000Z', end: '2026-12-01T00:00:00.000Z' };
  const series: UsageSeries = {
    period,
    step: 'month',
    timeZone: 'UTC',
    by: 'model',
    starts: [period.start],
    points: [POINT, { ...POINT, value: '(other)', calls: 5, cost: 2 }, { ...UNCERTAIN, value: null }],
    comparison: { period, starts: [period.start], points: [{ ...POINT, value: 'gone', cost: 4 }] },
  };
  const [rows, total] = [breakdownRows(series), totalRow(series)];
  const sum = (field: 'cost' | 'calls' | 'tokens' | 'uncertainCalls' | 'share'): number =>
    rows.reduce((all, row) => all + row[field], 0);
  expect([sum('cost'), sum('calls'), sum('tokens'), sum('uncertainCalls')]).toEqual([
    total.cost,
    total.calls,
    total.tokens,
    total.uncertainCalls,
  ]);
  expect(sum('share')).toBeCloseTo(total.share);
  expect(total).toMatchObject({ isTotal: true, cost: 3, before: { cost: 4 } });
});
