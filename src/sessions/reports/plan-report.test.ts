import { expect, test } from 'vitest';
import { listCards, localCall } from '../../../test/sessions/local-calls.ts';
import { planReport } from './plan-report.ts';
import { priceCalls } from './model-use.ts';

const at = (text: string): number => Date.parse(text);
const november = { start: at('2026-10-31T23:00:00Z'), end: at('2026-11-30T23:00:00Z') };
/** 5 dollars at the price of Opus. */
const FIVE = { input: 1_000_000 };
const uses = priceCalls(
  [
    localCall('2026-10-31T22:59:59Z', FIVE),
    ...['05', '06', '08', '09', '20'].map((day) => localCall(`2026-11-${day}T23:30:00Z`, FIVE)),
    localCall('2026-11-10T12:00:00Z', FIVE, { source: 'codex', model: 'gpt-5' }),
  ],
  listCards,
);

test('a plan is compared with the usage it covers: in the period and of its provider', () => {
  const report = planReport(uses, 'pro', november, 'Europe/Berlin');
  expect(report).toMatchObject({ days: 30, cost: 20_000_000_000, retail: 25_000_000_000, savings: 5_000_000_000n });
  expect(report).toMatchObject({ ratio: 1.25, status: 'Saving', totals: { calls: 5 } });
});

test('it breaks even on the local day that passes its cost', () => {
  expect(planReport(uses, 'pro', november, 'Europe/Berlin').breakEvenDay).toBe(at('2026-11-20T23:00:00Z'));
  expect(planReport(uses, 'max_5x', november, 'Europe/Berlin')).toMatchObject({
    breakEvenDay: null,
    savings: -75_000_000_000n,
    status: 'Below Breakeven',
  });
});

test('a part of a month costs its days', () => {
  const days = { start: at('2026-11-01T00:00:00Z'), end: at('2026-11-04T00:00:00Z') };
  expect(planReport(uses, 'chatgpt_plus', days, 'UTC')).toMatchObject({
    days: 3,
    cost: 2_000_000_000,
    savings: -2_000_000_000n,
    status: 'No Usage',
  });
});
