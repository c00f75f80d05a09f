import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { GateUse } from './gate-use.ts';
import { type DaySides, standsWhereEnded } from './midnight.ts';

const TERMS = { provider: 'acme', tier: '', geo: '', speed: '', step: 0, priceVersion: null };
const use = (output: number, isSure = true): Pick<GateUse, 'terms' | 'amounts'> => ({
  terms: { ...TERMS, isSure },
  amounts: { output },
});
/** What calls of a day used: within it, and under way at its end. */
const day = (reported: number, within: number, late: number, isSure = true): DaySides => ({
  reported: [{ output: reported }],
  passed: [use(within), use(late, isSure)],
  late: [use(late, isSure)],
});

test('a call stands on the day whose report lacks nothing by it', () => {
  expect(standsWhereEnded([], day(15, 10, 5), day(3, 3, 0))).toBe(false);
  expect(standsWhereEnded([], day(10, 10, 5), day(8, 3, 0))).toBe(true);
});

test('use beside the gate does not draw it to its day', () => {
  expect(standsWhereEnded([], day(15, 10, 5), day(103, 3, 0))).toBe(false);
  expect(standsWhereEnded([], day(110, 10, 5), day(8, 3, 0))).toBe(false);
  expect(standsWhereEnded([], day(10, 10, 5), day(108, 3, 0))).toBe(true);
});

test('one whose answer was lost stands where the report has room for it', () => {
  expect(standsWhereEnded([], day(12, 10, 5, false), day(3, 3, 0))).toBe(false);
  expect(standsWhereEnded([], day(10, 10, 5, false), day(5, 3, 0))).toBe(true);
  expect(standsWhereEnded([], day(10, 10, 5, false), day(3, 3, 0))).toBe(false);
});

test('a day that still changes says nothing: the one before decides by what it lacks', () => {
  expect(standsWhereEnded([], day(10, 10, 5), null)).toBe(true);
  expect(standsWhereEnded([], day(15, 10, 5), null)).toBe(false);
  expect(standsWhereEnded([], day(10, 10, 5, false), null)).toBe(false);
});

test('under way at every midnight, calls stand where the provider has them', () => {
  const size = fc.integer({ min: 1, max: 90 });
  fc.assert(
    fc.property(size, size, size, fc.nat(500), fc.boolean(), (before, late, after, within, isEnd) => {
      // Three midnights alike look the same either way.
      fc.pre(before !== late || late !== after);
      const [more, less] = isEnd ? [before - late, late - after] : [0, 0];
      const first = day(within + late + more, within, late);
      const second = day(within + after + less, within, after);
      expect(standsWhereEnded([use(before)], first, second)).toBe(isEnd);
    }),
  );
});
