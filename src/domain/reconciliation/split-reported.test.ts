import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EMPTY_TOTALS, sumTotals, type UsageTotals } from '../usage/usage-totals.ts';
import { splitReported } from './split-reported.ts';

const totals: fc.Arbitrary<UsageTotals> = fc
  .record({
    calls: fc.nat(9),
    cost: fc.bigInt({ min: 0n, max: 99n }),
    uncached: fc.nat(99),
    cacheReadTokens: fc.nat(99),
    cacheWriteTokens: fc.nat(99),
    outputTokens: fc.nat(99),
    unpricedCalls: fc.nat(2),
    uncertainUpTo: fc.bigInt({ min: 0n, max: 9n }),
  })
  .map(({ uncached, ...one }) => {
    const inputTokens = uncached + one.cacheReadTokens + one.cacheWriteTokens;
    return Object.assign({}, EMPTY_TOTALS, one, { inputTokens, uncertainCalls: one.uncertainUpTo > 0n ? 1 : 0 });
  });

test('report and what is left of the clients are the larger of both in each measure, in any order of clients', () => {
  fc.assert(
    fc.property(fc.array(totals, { maxLength: 4 }), totals, (clients, report) => {
      const left = { ...report };
      const split = clients.map((one) => splitReported(one, left));
      const seen = sumTotals(clients.map((one) => ({ totals: one })));
      const owed = sumTotals(split.map((one) => ({ totals: one.owed })));
      for (const name of ['calls', 'cacheReadTokens', 'cacheWriteTokens', 'outputTokens'] as const)
        expect(report[name] + owed[name]).toBe(Math.max(report[name], seen[name]));
      expect(report.cost + owed.cost).toBe(report.cost > seen.cost ? report.cost : seen.cost);
      const cached = owed.cacheReadTokens + owed.cacheWriteTokens;
      expect(owed.inputTokens).toBeGreaterThanOrEqual(cached);
      for (const [index, one] of split.entries()) {
        expect(one.reported.cost + one.owed.cost).toBe(clients[index]?.cost);
        expect(one.owed.uncertainCalls > 0).toBe(one.owed.uncertainUpTo > 0n);
      }
    }),
  );
});
