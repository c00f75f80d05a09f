import { expect, test } from 'vitest';
import type { ReasonNames } from './queries.ts';
import { REASON_ADVICE } from './reconciliation-text.ts';
import { waterfall } from './waterfall.ts';

const names = Object.fromEntries(Object.keys(REASON_ADVICE).map((reason) => [reason, reason])) as ReasonNames;
const none = Object.fromEntries(Object.keys(REASON_ADVICE).map((reason) => [reason, 0])) as Record<
  keyof typeof REASON_ADVICE,
  number
>;

test('each step begins where the one before ends, and the last reaches the bill', () => {
  const reasons = { ...none, outside_gateway: 30, batch: -10 };
  const steps = waterfall({ ledgerCost: 80, providerCost: 100, reasons }, names);
  expect(steps.map(({ name, amount, kind }) => [name, amount, kind])).toEqual([
    ['Ledger', 80, 'total'],
    ['outside_gateway', 30, 'more'],
    ['batch', -10, 'less'],
    ['Bill', 100, 'total'],
  ]);
  const [ledger, more, less, bill] = steps;
  expect([ledger?.from, more?.to, bill?.from]).toEqual([0, 1, 0]);
  expect(more?.from).toBe(ledger?.to);
  expect(less?.from).toBeCloseTo(bill?.to ?? 0);
});

test('a part of the ledger that no reason covers is a step of its own', () => {
  const steps = waterfall({ ledgerCost: 80, providerCost: 70, reasons: none }, names);
  expect(steps[1]).toMatchObject({ name: 'Calls whose lines have no price', amount: -10, kind: 'less' });
});

test('a ledger that equals the bill has no steps between', () => {
  expect(waterfall({ ledgerCost: 5, providerCost: 5, reasons: { ...none, rounding: 0.001 } }, names)).toHaveLength(2);
});
