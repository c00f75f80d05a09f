import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RateCard } from '../pricing/price.ts';
import type { ReportAmounts } from './provider-report.ts';
import { NO_TOKENS, type ProxiedAmounts, type ReportedPart, type ResidualCell, computeResidual } from './residual.ts';

const CARD: RateCard = {
  provider: 'acme',
  model: 'one',
  from: null,
  until: null,
  tiers: [
    { above: -1, rates: { input: 3_000, cacheRead: 300, cacheWrite5m: 3_750, cacheWrite1h: 6_000, output: 15_000 } },
    { above: 200_000, rates: { input: 6_000, cacheRead: 600, cacheWrite5m: 7_500, output: 22_500 } },
  ],
  speeds: { fast: { input: 18_000, output: 90_000 } },
  tierMultipliers: { batch: { num: 1, den: 2 }, priority_on_demand: { num: 2, den: 1 } },
  geoMultipliers: { us: { num: 11, den: 10 } },
  fees: { webSearch: 10_000_000 },
  contextWindow: 1_000_000,
  version: 'acme/one#1',
  source: 'test',
};
const resolve = (model: string): RateCard | null => (model === 'one' ? CARD : null);

const row = (amounts: ReportAmounts, changes: Partial<ReportedPart> = {}): ReportedPart => ({
  tier: 'standard',
  context: '0-200k',
  geo: 'global',
  speed: null,
  amounts,
  requests: null,
  ...changes,
});
const passed = (amounts: ReportAmounts = {}, changes: Partial<ProxiedAmounts> = {}): ProxiedAmounts => ({
  amounts,
  effective: NO_TOKENS,
  calls: 1,
  ...changes,
});
const residual = (rows: readonly ReportedPart[], changes: Partial<ResidualCell> = {}) =>
  computeResidual({ model: 'one', rows, proxied: null, isClosed: true, ...changes }, resolve);

describe('unproxied usage', () => {
  test('is the report minus the gateway, separately for each class and never below 0', () => {
    const rows = [row({ input: 100, cacheRead: 50, cacheWrite5m: 20, cacheWrite1h: 10, output: 40 })];
    const proxied = passed({ input: 60, cacheRead: 51, cacheWrite5m: 20, cacheWrite1h: 8, output: 0 });
    const { notProxied, cost } = residual(rows, { proxied });
    expect(notProxied).toEqual({ input: 40, cacheWrite1h: 2, output: 40 });
    expect(cost).toBe(BigInt((40 * 3_000 + 2 * 6_000 + 40 * 15_000) / 1_000));
  });

  test('excludes the effective usage of partly known calls, for any class', () => {
    const rows = [row({ input: 10, cacheWrite5m: 20, cacheWrite1h: 10, output: 40 })];
    const effective = { ...NO_TOKENS, input: 99, cacheWrite: 25, output: 5 };
    const { notProxied } = residual(rows, { proxied: passed({ output: 10 }, { effective }) });
    expect(notProxied).toEqual({ cacheWrite1h: 5, output: 25 });
  });

  test('of a model without a price lacks no price if all of it was proxied', () => {
    const left = (input: number) =>
      residual([row({ input })], { model: 'tomorrow', proxied: passed({ input: 100 }, { calls: 2 }) });
    expect(left(100)).toMatchObject({ cost: 0n, missing: null, calls: 0, callsUnknown: false });
    expect(left(101)).toMatchObject({ cost: null, callsUnknown: true });
  });

  test('of an open day is nothing, except for keys that were never wrapped', () => {
    const rows = [row({ input: 1_000 })];
    expect(residual(rows, { proxied: passed({}, { calls: 0 }), isClosed: false })).toMatchObject({
      notProxied: {},
      cost: 0n,
      callsUnknown: false,
    });
    expect(residual(rows, { isClosed: false })).toMatchObject({ notProxied: { input: 1_000 }, cost: 3_000n });
  });

  test('and proxied usage add up to the report, unless the ledger has more than the report', () => {
    const count = fc.nat(1_000_000_000_000);
    fc.assert(
      fc.property(
        count,
        count,
        fc.array(fc.constantFrom('batch', 'standard'), { minLength: 1 }),
        (total, gateway, tiers) => {
          const rows = tiers.map((tier) => row({ input: Math.floor(total / tiers.length) }, { tier }));
          const reported = rows.reduce((sum, { amounts }) => sum + (amounts.input ?? 0), 0);
          const input = Math.min(gateway, reported);
          expect(input + (residual(rows, { proxied: passed({ input }) }).notProxied.input ?? 0)).toBe(reported);
        },
      ),
    );
  });

  test('has the reported number of calls, and says if the report has none', () => {
    const counted = row({ input: 5 }, { requests: 7 });
    expect(residual([counted], { proxied: passed({}, { calls: 3 }) })).toMatchObject({ calls: 4, callsUnknown: false });
    expect(residual([counted, row({ input: 5 })])).toMatchObject({ calls: 7, callsUnknown: true });
    expect(residual([row({ input: 5 })], { proxied: passed({ input: 5 }) }).callsUnknown).toBe(false);
  });
});

describe('the cost of unproxied usage', () => {
  test('has the report’s mix of lifetimes, lengths, regions and speeds at list price', () => {
    const rows = [
      row({ input: 1_000 }),
      row({ input: 1_000 }, { context: '200k-1m' }),
      row({ input: 1_000 }, { geo: 'us' }),
      row({ input: 1_000 }, { speed: 'fast' }),
      row({ cacheWrite5m: 1_000, cacheWrite1h: 1_000 }),
    ];
    const whole = 3_000n + 6_000n + 3_300n + 18_000n + 3_750n + 6_000n;
    expect(residual(rows)).toMatchObject({ cost: whole, lengthUnsure: false });
    const half = passed({ input: 2_000, cacheWrite5m: 1_000 });
    expect(residual(rows, { proxied: half }).cost).toBe(30_300n / 2n + 6_000n);
  });

  test('includes batches first, which never pass the gateway, at their own price', () => {
    const rows = [row({ output: 1_000 }), row({ output: 1_000 }, { tier: 'batch' })];
    expect(residual(rows, { proxied: passed({ output: 1_000 }) }).cost).toBe(7_500n);
    expect(residual(rows, { proxied: passed({ output: 600 }) }).cost).toBe(7_500n + 6_000n);
    expect(residual(rows, { proxied: passed({ output: 1_200 }) }).cost).toBe(6_000n);
  });

  test('includes tiers that only the provider knows first, too', () => {
    const rows = [row({ output: 1_000 }), row({ output: 1_000 }, { tier: 'priority_on_demand' })];
    expect(residual(rows, { proxied: passed({ output: 1_000 }) }).cost).toBe(30_000n);
    expect(residual(rows, { proxied: passed({ output: 600 }) }).cost).toBe(30_000n + 6_000n);
    expect(residual([...rows, row({ output: 9 }, { tier: 'flex_discount' })]).cost).toBeNull();
  });

  test('is rounded once, not by row or class', () => {
    const rows = Array.from({ length: 5 }, () => row({ cacheRead: 1 }));
    expect(residual(rows).cost).toBe(2n);
    const thirds = [row({ cacheRead: 3 }), row({ input: 3 })];
    expect(residual(thirds, { proxied: passed({ cacheRead: 2, input: 2 }) }).cost).toBe(3n);
  });

  test('is null with a sentence if a class, tier or model has no price, never 0', () => {
    expect(residual([row({ input: 5 })], { model: 'two' })).toMatchObject({
      cost: null,
      missing: expect.stringContaining('two'),
    });
    expect(residual([row({ input: 5 })], { model: null }).cost).toBeNull();
    expect(residual([row({ input: 5 }, { tier: 'flex_discount' })]).missing).toContain('flex_discount');
    const rows = [row({ input: 5, cacheWrite1h: 5 }, { context: '200k-1m' })];
    expect(residual(rows).cost).toBeNull();
    expect(residual(rows, { proxied: passed({ cacheWrite1h: 5 }) })).toMatchObject({ cost: 30n, missing: null });
  });

  test('says if the price depends on lengths that the report does not have', () => {
    expect(residual([row({ input: 200_001 }, { context: null })]).lengthUnsure).toBe(true);
    expect(residual([row({ input: 200_000 }, { context: null })]).lengthUnsure).toBe(false);
  });

  test('includes the fees of unproxied uses', () => {
    const rows = [row({ input: 1_000, webSearch: 5 })];
    expect(residual(rows)).toMatchObject({ cost: 3_000n + 50_000n });
    const unproxied = residual(rows, { proxied: passed({ input: 1_000, webSearch: 2 }) });
    expect(unproxied).toMatchObject({ cost: 30_000n, notProxied: { webSearch: 3 } });
    expect(residual([row({ image: 1 })])).toMatchObject({ cost: null, missing: expect.stringContaining('image') });
  });
});
