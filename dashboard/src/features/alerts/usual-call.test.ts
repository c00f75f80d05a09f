import { expect, test } from 'vitest';
import type { UsageSeries } from '../../../../src/contract/usage.ts';
import { usualCall } from './usual-call.ts';

const TOKENS = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0, failedCalls: 0 };

/** Three days with 2 calls in the first hour of each day, and 4 in the second. */
function history(cost: number): UsageSeries {
  const starts = Array.from({ length: 72 }, (_, hour) => new Date(Date.UTC(2026, 10, 1, hour)).toISOString());
  const points = starts
    .filter((_, hour) => hour % 24 < 2)
    .map((start) => Object.assign({ start, value: null, calls: start.includes('T00') ? 2 : 4, cost }, TOKENS));
  const period = { start: starts[0] ?? '', end: '2026-11-04T00:00:00.000Z' };
  return { period, step: 'hour', timeZone: 'UTC', by: null, starts, points };
}

test('usual calls are those of the same hours before, and the usual cost is that of one call', () => {
  expect(usualCall(history(6), '2026-11-05T00:00:00.000Z', '2026-11-05T01:00:00.000Z')).toEqual({ calls: 2, cost: 2 });
  expect(usualCall(history(6), '2026-11-05T12:10:00.000Z', '2026-11-05T13:00:00.000Z')).toEqual({ calls: 0, cost: 2 });
});

test('no history says nothing', () => expect(usualCall(undefined, '2026-11-05', '2026-11-06')).toBeNull());
