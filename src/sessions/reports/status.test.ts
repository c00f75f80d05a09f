import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCalls, listCards, localCall } from '../../../test/sessions/local-calls.ts';
import type { LocalCall } from '../../domain/sessions/local-call.ts';
import { selectStatusCalls, buildStatus, type StatusOptions } from './status.ts';
import { priceCalls } from './model-use.ts';

const HOUR = 3_600_000;
const WISH: StatusOptions = {
  sessionId: 'session-b',
  timeZone: 'Europe/Berlin',
  now: Date.parse('2026-11-20T12:00:00Z'),
};

function status(calls: readonly LocalCall[], wish = WISH) {
  return buildStatus(priceCalls(selectStatusCalls(calls, wish), listCards), wish);
}

test('a status has the session, today in the time zone, and the open block', () => {
  const { session, today, block } = status([
    localCall('2026-11-19T22:59:59Z', { input: 1_000 }, { sessionId: 'session-b' }),
    localCall('2026-11-19T23:00:00Z', { input: 1_000 }),
    localCall('2026-11-20T09:30:00Z', { input: 2_000 }, { sessionId: 'session-b' }),
  ]);
  expect([session?.cost, today.cost]).toEqual([15_000_000, 15_000_000]);
  expect(block).toMatchObject({ left: 2 * HOUR, totals: { cost: 10_000_000 }, rate: { costPerHour: 4_000_000 } });
});

test('missing values are null, and a day without use costs nothing', () => {
  expect(status([])).toMatchObject({ session: null, today: { cost: 0 }, block: null });
});

test('the calls left out change nothing', () => {
  fc.assert(
    fc.property(anyCalls, fc.nat(24 * 40), fc.nat(9), (some, hour, spread) => {
      const now = Date.parse('2026-11-01T00:00:00Z') + hour * HOUR;
      // Drawn together, so that blocks follow blocks.
      const near = some.map((call, index) => ({
        ...call,
        source: 'claude_code' as const,
        at: now - index * spread * HOUR,
      }));
      const calls = near.filter(({ model }) => model !== 'gpt-5.4').toSorted((a, b) => a.at - b.at);
      const wish = { ...WISH, now };
      expect(status(calls, wish)).toEqual(buildStatus(priceCalls(calls, listCards), wish));
    }),
  );
});
