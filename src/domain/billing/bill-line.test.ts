import { expect, test } from 'vitest';
import { DAY_MS } from '../time/units.ts';
import { applyBillLines, type BillLine, type BillLineKind, checkBillLine } from './bill-line.ts';

const FIRST = Date.UTC(2026, 0, 1);
const dayAt = (index: number): number => FIRST + index * DAY_MS;

function line(id: string, kind: BillLineKind, amount: number, from: number, until: number | null): BillLine {
  const period = { from: dayAt(from), until: until === null ? null : dayAt(until) };
  return { id, workspaceId: 'ws', provider: 'openai', kind, name: id, amount, ...period, createdAt: 0 };
}

const tenADay = (days: number) => new Map(Array.from({ length: days }, (_, index) => [dayAt(index), 10n]));
const period = (start: number, end: number) => ({ start: dayAt(start), end: dayAt(end) });

test('the credit that ends first is used first, and no cost is paid for twice', () => {
  const lines = [line('endless', 'credit', 100, 0, null), line('short', 'credit', 15, 1, 5)];
  const applied = applyBillLines(lines, tenADay(4), period(2, 4), dayAt(4));
  expect(applied).toMatchObject([
    { cost: 40n, used: 25n, billed: -15n },
    { cost: 30n, used: 15n, billed: -5n },
  ]);
});

test('a credit pays for nothing before it begins, from its end on, and once it is used up', () => {
  const lines = [line('credit', 'credit', 100, 1, 3)];
  expect(applyBillLines(lines, tenADay(9), period(0, 9), dayAt(9))).toMatchObject([{ used: 20n, billed: -20n }]);
  const small = [line('credit', 'credit', 15, 0, null)];
  expect(applyBillLines(small, tenADay(9), period(0, 9), dayAt(9))).toMatchObject([{ used: 15n, billed: -15n }]);
});

test('a day of corrections below zero gives a credit nothing back', () => {
  const costs = new Map([
    [dayAt(1), -5n],
    [dayAt(0), 10n],
  ]);
  const lines = [line('credit', 'credit', 100, 0, null)];
  expect(applyBillLines(lines, costs, period(0, 2), dayAt(2))).toMatchObject([{ cost: 5n, used: 10n, billed: -10n }]);
});

test('the missing part of a commitment is billed once, in the period in which it ends', () => {
  const lines = [line('commitment', 'commitment', 50, 0, 3)];
  const billed = (asked: { start: number; end: number }, today: number) =>
    applyBillLines(lines, tenADay(9), asked, today)[0]?.billed;
  expect(billed(period(0, 3), dayAt(3))).toBe(20n);
  expect(billed(period(2, 9), dayAt(9))).toBe(20n);
  expect(billed(period(3, 9), dayAt(9))).toBe(0n);
  expect(billed(period(0, 2), dayAt(9))).toBe(0n);
  // It has not ended.
  expect(billed(period(0, 3), dayAt(2))).toBe(0n);
  expect(applyBillLines([line('met', 'commitment', 30, 0, 3)], tenADay(3), period(0, 3), dayAt(3))).toMatchObject([
    { used: 30n, billed: 0n },
  ]);
});

test.each<[string, Partial<BillLine>, string]>([
  ['no amount', { amount: 0 }, 'amount'],
  ['a commitment without an end', { kind: 'commitment', until: null }, 'until'],
  ['an end before the start', { until: dayAt(-1) }, 'until'],
  ['a period of ten years', { until: dayAt(3_653) }, 'until'],
])('%s is refused', (_, change, param) => {
  const checked = (): void => checkBillLine({ ...line('one', 'credit', 1, 0, 9), ...change });
  expect(checked).toThrow(expect.objectContaining({ type: 'invalid', param }) as Error);
});
