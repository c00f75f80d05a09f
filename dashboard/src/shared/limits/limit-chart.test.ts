import { expect, test } from 'vitest';
import { hasChart, refusalMarks } from './limit-chart.tsx';

const BOUNDS = ['2026-03-01T00:00:00Z', '2026-03-01T01:00:00Z', '2026-03-01T02:00:00Z'];

test('each hour has one mark with the number of its refused calls, and calls outside the window have none', () => {
  const refusals = [
    { at: '2026-02-28T23:59:00Z', calls: 9 },
    { at: '2026-03-01T01:00:00Z', calls: 1 },
    { at: '2026-03-01T01:30:00Z', calls: 4 },
    { at: '2026-03-01T02:00:00Z', calls: 9 },
  ];
  expect(refusalMarks(refusals, BOUNDS)).toEqual([{ at: BOUNDS[1], text: '5 calls refused', tone: 'bad' }]);
});

test('running calls and single sessions have no chart of a window', () => {
  const limit = { unit: 'usd', window: 'day', scope: { kind: 'workspace' } } as const;
  expect(hasChart(limit)).toBe(true);
  expect(hasChart({ ...limit, unit: 'concurrency' })).toBe(false);
  expect(hasChart({ ...limit, scope: { kind: 'each', of: 'session', keyId: null } })).toBe(false);
});
