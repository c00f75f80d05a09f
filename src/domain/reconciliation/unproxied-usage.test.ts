import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { HeldProviderKey } from './held-keys.ts';
import { groupKeys } from './key-groups.ts';
import type { RateCard } from '../pricing/price.ts';
import { type OrganizationDay, unproxiedByModel, unproxiedByKey } from './unproxied-usage.ts';
import { NO_TOKENS } from './residual.ts';

const card = (output: number): RateCard => ({
  provider: 'acme',
  model: 'one',
  from: null,
  until: null,
  tiers: [{ above: -1, rates: { input: 3_000, cacheRead: 300, cacheWrite5m: 3_750, output } }],
  speeds: {},
  tierMultipliers: {},
  geoMultipliers: {},
  fees: {},
  contextWindow: null,
  version: 'acme/one#1',
  source: 'test',
});
const CARD = card(15_000);

const KEYS = ['k0', 'k1', 'k2', 'k3'] as const;
const textOf = (id: string): string => `sk-acme-${id}-xxxxxxxxxxxxxxxxx-${id}zz`;
const hintOf = (id: string): string => `sk-acme-${id}-x...x-${id}zz`;

type Reported = OrganizationDay['reported'][number];
const use = (key: string | null, model: string, output: number, requests: number | null = null): Reported => {
  const words = { tier: 'standard', context: null, geo: null, speed: null };
  return { key, model, rows: [{ ...words, amounts: { output }, requests }] };
};
const call = (keyId: string, model: string, count: number, calls = 1): OrganizationDay['proxied'][number] => ({
  keyId,
  model,
  amounts: { output: count },
  effective: NO_TOKENS,
  isCosted: true,
  calls,
});

function heldAs(number: number): HeldProviderKey {
  const nothing = { fingerprint: null, ends: null, lastFour: null };
  const times = { heldSince: 0, heldUntil: null };
  return { id: `pk_${number}`, key: textOf(`k${number}`), ...nothing, ...times, wrappedKeyIds: [`w${number}`] };
}

/** `k0` and `k1` are wrapped, as `w0` and `w1`; of `k3` the report shows nothing. */
function dayOf(changes: Partial<OrganizationDay>): OrganizationDay {
  const gateway = changes.proxied ?? [];
  const reported = KEYS.map((id) => ({ id, hint: id === 'k3' ? null : hintOf(id) }));
  const held = [0, 1].map((number) => heldAs(number));
  return {
    reported: [],
    proxied: gateway,
    groups: groupKeys(reported, held, [...new Set(gateway.map(({ keyId }) => keyId))]),
    isClosed: true,
    nameOf: (model) => model.replace('-latest', ''),
    resolve: () => CARD,
    listed: () => CARD,
    ...changes,
  };
}

const keys = fc.constantFrom(...KEYS, null);
const models = fc.constantFrom('one', 'two');
const reportedArbitrary = fc
  .uniqueArray(fc.tuple(keys, models, fc.nat(50), fc.option(fc.nat(3))), {
    selector: ([key, model]) => `${key} ${model}`,
  })
  .map((list) => list.map((one) => use(...one)));
const gateArbitrary = fc
  .uniqueArray(fc.tuple(fc.constantFrom('w0', 'w1', 'x'), models, fc.nat(50)), {
    selector: ([key, model]) => `${key} ${model}`,
  })
  .map((list) => list.map((one) => call(...one)));

const output = (rests: readonly { totals: { outputTokens: number } }[]): number =>
  rests.reduce((sum, { totals }) => sum + totals.outputTokens, 0);

test('on a closed day, proxied and unproxied usage add up to the larger of report and gateway, for each group', () => {
  fc.assert(
    fc.property(reportedArbitrary, gateArbitrary, (reported, gateway) => {
      const day = dayOf({ reported, proxied: gateway });
      const sum = (list: readonly number[]): number => list.reduce((all, one) => all + one, 0);
      const groups = [['k0', 'w0'], ['k1', 'w1'], ['k2'], ['k3', 'x'], [null]] as const;
      const expected = ['one', 'two'].flatMap((model) =>
        groups.map((group) => {
          const isIn = (key: string | null): boolean => group.some((member) => member === key);
          const said = sum(
            reported.flatMap((one) => (one.model === model && isIn(one.key) ? (one.rows[0]?.amounts.output ?? 0) : [])),
          );
          const passed = sum(
            gateway.flatMap((one) => (one.model === model && isIn(one.keyId) ? (one.amounts.output ?? 0) : [])),
          );
          return Math.max(passed, said) - passed;
        }),
      );
      const rests = unproxiedByModel(day);
      expect(output(rests)).toBe(sum(expected));
      for (const { totals } of rests) {
        expect(totals.cost).toBe(BigInt(totals.outputTokens * 15));
        expect(totals.calls).toBeGreaterThanOrEqual(0);
      }
    }),
  );
});

test('an open day has only usage of keys that were never wrapped', () => {
  fc.assert(
    fc.property(reportedArbitrary, gateArbitrary, (reported, gateway) => {
      const rests = unproxiedByModel(dayOf({ reported, proxied: gateway, isClosed: false }));
      const never = reported.filter(({ key }) => key === 'k2' || key === null);
      expect(output(rests)).toBe(never.reduce((sum, { rows }) => sum + (rows[0]?.amounts.output ?? 0), 0));
      expect(rests.every(({ coverage }) => coverage.total === 0n)).toBe(true);
    }),
  );
});

test('spellings of one model are one model', () => {
  const rests = unproxiedByModel(dayOf({ reported: [use('k0', 'one-latest', 10)], proxied: [call('w0', 'one', 4)] }));
  expect(rests).toMatchObject([{ model: 'one-latest', totals: { outputTokens: 6, uncountedRecords: 1, calls: 0 } }]);
});

test('calls beyond those of the gateway are counted if the report counts calls', () => {
  const rests = unproxiedByModel(dayOf({ reported: [use('k0', 'one', 10, 5)], proxied: [call('w0', 'one', 4, 2)] }));
  expect(rests).toMatchObject([{ totals: { calls: 3, uncountedRecords: 0 } }]);
});

test('cost is at the workspace’s prices and coverage at list prices, and unknown usage is no gap', () => {
  const reported = [use('k0', 'one', 10), use(null, 'one', 5), use('k3', 'one', 2)];
  const day = dayOf({ reported, proxied: [call('w0', 'one', 4)], resolve: () => card(30_000) });
  const [rest] = unproxiedByModel(day);
  expect(rest?.totals.cost).toBe(BigInt((6 + 5 + 2) * 30));
  expect(rest?.coverage).toEqual({ total: 17n * 15n, unproxied: 11n * 15n, unknown: 2n * 15n });
  expect(unproxiedByKey(day).map(({ key, usage: { coverage } }) => [key, coverage.unproxied])).toEqual([
    ['k0', 90n],
    [null, 75n],
    ['k3', 0n],
  ]);
});

test('usage without a price is reported as unpriced, not as a cost of 0', () => {
  const [rest] = unproxiedByModel(
    dayOf({ reported: [use(null, 'new', 10, 3)], resolve: () => null, listed: () => null }),
  );
  expect(rest).toMatchObject({ model: 'new', totals: { cost: 0n, unpricedCalls: 3, unpricedUses: 0 } });
  expect(rest?.coverage.total).toBe(0n);
  const of = (...reported: readonly OrganizationDay['reported'][number][]) =>
    unproxiedByModel(dayOf({ reported, resolve: () => null, listed: () => null }));
  // Without a number of calls it is of no call.
  expect(of(use(null, 'new', 10))).toMatchObject([{ totals: { calls: 0, unpricedCalls: 0, unpricedUses: 1 } }]);
  expect(of(use(null, 'new', 10), use('k3', 'new', 10, 3))).toMatchObject([
    { totals: { calls: 3, unpricedCalls: 3, unpricedUses: 1 } },
  ]);
});

test('effective usage of uncertain calls is subtracted from the report, and its cost only if the ledger has it', () => {
  const reported = [use('k0', 'one', 50)];
  const effective = (isCosted: boolean): OrganizationDay['proxied'][number] => ({
    ...call('w0', 'one', 0),
    effective: { ...NO_TOKENS, output: 20 },
    isCosted,
  });
  const [costed] = unproxiedByModel(dayOf({ reported, proxied: [effective(true)] }));
  const [noted] = unproxiedByModel(dayOf({ reported, proxied: [effective(false)] }));
  expect(costed?.totals).toMatchObject({ outputTokens: 30, cost: 450n });
  expect(noted?.totals).toMatchObject({ outputTokens: 30, cost: 750n });
  // It passed the gate all the same.
  expect(noted?.coverage).toEqual(costed?.coverage);
});
