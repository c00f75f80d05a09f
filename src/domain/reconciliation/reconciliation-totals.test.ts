import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ReconciledLine } from './reconcile.ts';
import { ReconciliationTotals } from './reconciliation-totals.ts';

const LINES_MAX = 1_000;
const NOTHING = {
  isClosed: true,
  fees: [],
  apart: [],
  billed: null,
  coverage: { passed: 0n, unknown: 0n, total: 0n },
};

/** Of lines that differ by so much; null = the provider's cost is not known. */
function collect(days: readonly (readonly (number | null)[])[]): ReconciliationTotals {
  const collected = new ReconciliationTotals();
  for (const [day, differences] of days.entries()) {
    const fees = differences.map((one): ReconciledLine => {
      const difference = one === null ? null : BigInt(one);
      return {
        day,
        key: null,
        model: null,
        ledgerCalls: 0,
        ledgerCost: 0n,
        providerCost: difference,
        missing: null,
        difference,
        reasons: [],
      };
    });
    collected.add({ ...NOTHING, day, lines: [], fees });
  }
  return collected;
}

test('of many lines the largest differences are kept: unknown ones first, then by size in either direction', () => {
  const difference = fc.option(fc.integer({ min: -1_000_000, max: 1_000_000 }), { freq: 50 });
  const day = fc.array(difference, { minLength: 500, maxLength: 3_000, size: 'max' });
  fc.assert(
    fc.property(fc.array(day, { maxLength: 4, size: 'max' }), (days) => {
      const size = (one: number | null): number => (one === null ? Infinity : Math.abs(one));
      const largest = days
        .flat()
        .map(size)
        .toSorted((a, b) => b - a)
        .slice(0, LINES_MAX);
      const kept = collect(days).largestLines.map((line) =>
        size(line.difference === null ? null : Number(line.difference)),
      );
      expect(kept).toEqual(largest);
    }),
    { numRuns: 20, endOnFailure: true },
  );
});
