import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ReportClass } from './provider-report.ts';
import { totalTokens } from '../usage/usage.ts';
import type { LeftoverUse } from './reasons.ts';
import { type CellLeftover, splitUncertain } from './split-uncertain.ts';

const ORDINARY = { tier: '', geo: '', speed: '', above: 0 };
/** Each costs a thousand femto-dollars and a half more. */
const left = (name: ReportClass, count: number, terms: Partial<typeof ORDINARY> = {}): LeftoverUse => ({
  slot: {
    name,
    terms: { ...ORDINARY, ...terms },
    upTo: 200_000,
    rate: { femto: 1_500_000n, missing: null },
    reported: count,
    passed: 0,
    passedCost: 0n,
    drift: 0n,
    unproxiedMore: 0n,
    billed: null,
  },
  count,
  cost: BigInt(count) * 1_500_000n,
});
const rest = (...parts: LeftoverUse[]): CellLeftover => ({ left: parts, isShort: false });
const bound = (usd: number | null, inputTokens: number, outputTokens: number) => ({ usd, inputTokens, outputTokens });

const CLASSES = ['input', 'cacheRead', 'cacheWrite1h', 'output', 'outputAudio', 'webSearch'] as const;

describe('the usage of calls without a response', () => {
  test('is split to the last token and nano-dollar, none above its bound, and no more than is reported', () => {
    const bounds = fc.array(
      fc.record({ usd: fc.nat(9_000_000), inputTokens: fc.nat(50_000), outputTokens: fc.nat(9_000) }),
      { minLength: 1, maxLength: 25 },
    );
    const counts = fc.uniqueArray(fc.tuple(fc.constantFrom(...CLASSES), fc.integer({ min: 1, max: 60_000 })), {
      selector: ([name]) => name,
    });
    fc.assert(
      fc.property(counts, bounds, (found, all) => {
        const parts = found.map(([name, count]) => left(name, count));
        const shares = splitUncertain(rest(...parts), all);
        if (!shares) return;
        const cost = parts.reduce((sum, part) => sum + part.cost, 0n) / 1_000_000n;
        expect(shares.reduce((sum, share) => sum + BigInt(share.cost), 0n)).toBe(cost);
        for (const [name, count] of found) {
          const given: readonly Record<string, number>[] = shares.map(({ usage }) => ({
            ...totalTokens(usage),
            ...usage.uses,
          }));
          expect(given.reduce((sum, one) => sum + (one[name] ?? 0), 0)).toBe(count);
        }
        for (const [index, share] of shares.entries()) expect(share.cost).toBeLessThanOrEqual(all[index]?.usd ?? 0);
      }),
      { numRuns: 400 },
    );
  });

  test('is split by the most that each call may have used', () => {
    const shares = splitUncertain(rest(left('input', 100), left('cacheRead', 10), left('output', 8)), [
      bound(900, 300, 10),
      bound(300, 100, 30),
    ]);
    expect(shares).toMatchObject([
      { cost: 133, inputTokens: 83, outputTokens: 2 },
      { cost: 44, inputTokens: 27, outputTokens: 6 },
    ]);
    expect(shares?.[0]?.usage.inferences).toEqual([
      { model: null, tokens: { input: 75, cacheRead: 8, output: 2 }, promptTokens: 0 },
    ]);
  });

  test('keeps the lengths and terms of the report', () => {
    const long = { above: 200_000, tier: 'priority' };
    const [share] =
      splitUncertain(rest(left('input', 9, { tier: 'priority' }), left('input', 4, long)), [bound(99, 50, 0)]) ?? [];
    expect(share?.usage.terms).toEqual({ tier: 'priority', geo: null, speed: null });
    expect(share?.usage.inferences).toEqual([
      { model: null, tokens: { input: 9 }, promptTokens: 0 },
      { model: null, tokens: { input: 4 }, promptTokens: 200_001 },
    ]);
  });

  test('is nothing if the report has nothing left', () => {
    expect(splitUncertain(rest(), [bound(90, 9, 9)])).toMatchObject([{ cost: 0, inputTokens: 0, outputTokens: 0 }]);
  });

  test.each([
    ['more tokens than they may have used', rest(left('input', 11)), bound(99, 10, 10)],
    ['more output than they may have made', rest(left('output', 11)), bound(99, 99, 10)],
    ['more than they may have cost', rest(left('input', 9)), bound(12, 99, 99)],
    ['a batch', rest(left('input', 1, { tier: 'batch' })), bound(99, 99, 99)],
    ['use on two kinds of terms', rest(left('input', 1), left('input', 1, { geo: 'us' })), bound(99, 99, 99)],
    ['something that no call uses', rest(left('storedByte', 1)), bound(99, 99, 99)],
    ['calls that the report does not hold', { left: [left('input', 1)], isShort: true }, bound(99, 99, 99)],
    ['a credit on the bill', rest({ ...left('input', 1), cost: -9_000_000n }), bound(99, 99, 99)],
    ['no bound to go by', rest(left('input', 1)), bound(null, 99, 99)],
  ])('is not told by %s', (_, given, one) => {
    expect(splitUncertain(given, [one])).toBeNull();
  });
});
