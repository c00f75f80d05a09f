import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RateCard } from '../pricing/price.ts';
import type { ReportAmounts, ReportedCost } from './provider-report.ts';
import { type ReconciledDay, reconcileDay, type ReconcileContext } from './reconcile.ts';
import { ReconciliationTotals } from './reconciliation-totals.ts';
import type { DayFacts, HeldUse } from './day-cells.ts';
import { NO_TOKENS, type ReportedPart, computeResidual } from './residual.ts';

const DAY = Date.UTC(2026, 10, 1);
const CARD: RateCard = {
  provider: 'acme',
  model: 'one',
  from: null,
  until: null,
  tiers: [
    { above: -1, rates: { input: 1_000, output: 1_333, cacheRead: 100, cacheWrite5m: 1_250, cacheWrite1h: 2_000 } },
    { above: 100_000, rates: { input: 3_000, output: 3_999 } },
  ],
  speeds: { fast: { input: 5_000, output: 6_000 } },
  tierMultipliers: {
    batch: { num: 1, den: 2 },
    flex_discount: { num: 1, den: 2 },
    priority: { num: 2, den: 1 },
    priority_on_demand: { num: 2, den: 1 },
  },
  geoMultipliers: { us: { num: 11, den: 10 } },
  fees: { webSearch: 10_000_000 },
  contextWindow: null,
  version: 'acme/one#1',
  source: 'test',
};
const part = (amounts: number | ReportAmounts, changes: Partial<ReportedPart> = {}): ReportedPart => ({
  tier: 'standard',
  context: '0-200k',
  geo: 'global',
  speed: null,
  amounts: typeof amounts === 'number' ? { input: amounts } : amounts,
  requests: null,
  ...changes,
});
const PLAIN = {
  provider: 'acme',
  tier: '',
  geo: '',
  speed: '',
  step: 0,
  provenance: { from: 'price', versions: ['acme/one#1'] } as const,
  certainty: 'used',
} as const;
/** One pico-dollar is a nano-dollar for a thousand tokens: `input` tokens cost as many nano-dollars. */
const proxiedUse = (amounts: number | HeldUse['amounts'], changes: Partial<HeldUse> = {}): HeldUse => ({
  heldId: 'pk_1',
  model: 'one',
  callModel: null,
  terms: PLAIN,
  amounts: typeof amounts === 'number' ? { input: amounts } : amounts,
  calls: 1,
  failedCalls: 0,
  cost: BigInt(typeof amounts === 'number' ? amounts : (amounts.input ?? 0)),
  uncertainUpTo: 0n,
  ...changes,
});
const lost = (input: number, usd: number, calls = 1): HeldUse =>
  proxiedUse(input, {
    terms: { ...PLAIN, provenance: null, certainty: 'at_most' },
    cost: 0n,
    uncertainUpTo: BigInt(usd),
    calls,
  });
const cell = (rows: readonly ReportedPart[], key: string | null = 'wrapped', model = 'one') => ({ key, model, rows });
/** A line of the bill, in cents. */
const bill = (
  name: 'input' | 'output' | 'webSearch',
  nano: number,
  changes: Partial<ReportedCost> = {},
): ReportedCost => ({
  key: null,
  project: null,
  model: name === 'webSearch' ? null : 'one',
  tier: name === 'webSearch' ? null : 'standard',
  context: name === 'webSearch' ? null : '0-200k',
  geo: name === 'webSearch' ? null : 'global',
  kind: name === 'webSearch' ? 'web_search' : 'tokens',
  class: name,
  line: null,
  amount: (nano / 1e7).toFixed(10),
  unit: 'USD cent',
  nanoUsd: nano,
  ...changes,
});
const TERMS: ReconcileContext = {
  matches: new Map([
    ['wrapped', { is: 'one', heldIds: ['pk_1', 'pk_2'] }],
    ['direct', { is: 'none' }],
    ['unclear', { is: 'unknown' }],
  ]),
  nameOf: (model) => model.replace(/-\d+$/, ''),
  resolve: (model) => (model === 'one' ? CARD : null),
};
const asked = (changes: Partial<DayFacts>): ReconciledDay =>
  reconcileDay({ day: DAY, isClosed: true, reported: [], proxied: [], costs: [], ...changes }, TERMS);
const reasonsOf = (day: ReconciledDay) =>
  day.lines.map(({ line }) => Object.fromEntries(line.reasons.map(({ reason, amount }) => [reason, amount])));

describe('usage', () => {
  test('that is all proxied has no difference, for any spelling of models and any workspace of the key', () => {
    const day = asked({
      reported: [{ key: 'wrapped', model: 'one-20260101', rows: [part(1_000)] }],
      proxied: [proxiedUse(400), proxiedUse(600, { heldId: 'pk_2' })],
    });
    expect(day.lines.map(({ line }) => line)).toMatchObject([
      { key: 'wrapped', model: 'one', ledgerCalls: 2, ledgerCost: 1_000n, difference: 0n, reasons: [] },
    ]);
    expect(day.coverage).toEqual({ passed: 1_000n, unknown: 0n, total: 1_000n });
    expect(day.apart).toEqual([]);
  });

  test('outside the gateway has a reason, for wrapped keys and keys never wrapped, with batches separate', () => {
    const day = asked({
      reported: [
        cell([part(1_000), part(500, { tier: 'batch' })]),
        cell([part(250), part(100, { tier: 'batch' })], 'direct'),
      ],
      proxied: [proxiedUse(900)],
    });
    expect(reasonsOf(day)).toEqual([
      { outside_gateway: 100n, batch: 250n },
      { outside_gateway: 250n, batch: 50n },
    ]);
    expect(day.coverage).toEqual({ passed: 900n, unknown: 0n, total: 1_550n });
  });

  test('is compared separately for each cache lifetime, fee and class', () => {
    const amounts = { cacheWrite5m: 1_000, cacheWrite1h: 1_000, cacheRead: 1_000, webSearch: 2 };
    const day = asked({
      reported: [cell([part({ ...amounts, cacheWrite1h: 3_000, webSearch: 5 })])],
      proxied: [proxiedUse(amounts, { cost: 1_250n + 2_000n + 100n + 20_000n })],
    });
    expect(reasonsOf(day)).toEqual([{ outside_gateway: 4_000n + 30_000n }]);
  });

  test('on other terms than the gateway saw is a difference in tier, not more usage', () => {
    const cheaper = asked({ reported: [cell([part(1_000, { tier: 'batch' })])], proxied: [proxiedUse(1_000)] });
    expect(reasonsOf(cheaper)).toEqual([{ batch: -500n }]);
    const dearer = asked({ reported: [cell([part(600), part(400, { geo: 'us' })])], proxied: [proxiedUse(1_000)] });
    expect(reasonsOf(dearer)).toEqual([{ batch: 40n }]);
  });

  test('of another model inside a call counts under that model on both sides', () => {
    const day = asked({
      reported: [cell([part(1_000)]), cell([part(200)], 'wrapped', 'one-2')],
      proxied: [
        proxiedUse(1_000, { cost: 1_200n }),
        proxiedUse(200, { model: 'one-2', callModel: 'one', cost: 0n, calls: 0 }),
      ],
    });
    expect(reasonsOf(day)).toEqual([{}]);
    const other = { ...TERMS, nameOf: (model: string) => model, resolve: () => CARD };
    const facts = {
      day: DAY,
      isClosed: true,
      costs: [],
      reported: [cell([part(1_000)]), cell([part(200)], 'wrapped', 'two')],
      proxied: [
        proxiedUse(1_000, { cost: 1_200n }),
        proxiedUse(200, { model: 'two', callModel: 'one', cost: 0n, calls: 0 }),
      ],
    };
    expect(reconcileDay(facts, other).lines.map(({ line }) => [line.ledgerCost, line.reasons])).toEqual([
      [1_000n, []],
      [200n, []],
    ]);
  });

  test('that the ledger has and the report lacks is unexplained', () => {
    expect(reasonsOf(asked({ proxied: [proxiedUse(500)] }))).toEqual([{ unexplained: -500n }]);
    expect(reasonsOf(asked({ reported: [cell([part(400)])], proxied: [proxiedUse(500)] }))).toEqual([
      { unexplained: -100n },
    ]);
  });

  test('of an open day is not final and not in the coverage', () => {
    const day = asked({ reported: [cell([part(10)])], proxied: [proxiedUse(3)], isClosed: false });
    expect(reasonsOf(day)).toEqual([{ not_final: 7n }]);
    expect(day.coverage.total).toBe(0n);
  });

  test('of keys that can’t be distinguished is neither proxied nor unproxied; that of the gateway is listed separately', () => {
    const day = asked({ reported: [cell([part(10)], 'unclear')], proxied: [proxiedUse(10, { heldId: 'elsewhere' })] });
    expect(reasonsOf(day)).toEqual([{ unknown_key: 10n }]);
    expect(day.coverage).toEqual({ passed: 0n, unknown: 10n, total: 10n });
    expect(day.apart).toHaveLength(1);
  });

  test('without a price has no difference, and costs what the bill says if there is one', () => {
    const reported = [cell([part(10)], 'direct', 'two'), cell([part(30)], 'unclear', 'two')];
    const [unknown] = asked({ reported }).lines;
    expect(unknown?.line).toMatchObject({ providerCost: null, difference: null, reasons: [] });
    expect(unknown?.line.missing).toContain('two');
    const billed = asked({ reported, costs: [bill('input', 400, { model: 'two' })] });
    expect(reasonsOf(billed)).toEqual([{ outside_gateway: 100n }, { unknown_key: 300n }]);
  });
});

describe('calls with a lost response', () => {
  test('explain as much as their bound, and no more', () => {
    const within = asked({ reported: [cell([part(940)])], proxied: [proxiedUse(900), lost(100, 60)] });
    expect(reasonsOf(within)).toEqual([{ uncertain_calls: 40n }]);
    const beyond = asked({ reported: [cell([part(1_000)])], proxied: [proxiedUse(900), lost(100, 60)] });
    expect(reasonsOf(beyond)).toEqual([{ outside_gateway: 40n, uncertain_calls: 60n }]);
  });

  test('of a workspace with a custom price explain as much as their bound and the bound at list price together', () => {
    const own = { ...lost(100, 60), isOwnPriced: true };
    // The list’s: at the dearest speed, tier and place.
    const bound = 60n + (100n * 5n * 2n * 11n) / 10n;
    const day = asked({ reported: [cell([part(2_500)])], proxied: [proxiedUse(900), own] });
    expect(reasonsOf(day)).toEqual([{ outside_gateway: 1_600n - bound, uncertain_calls: bound }]);
  });

  test('with an estimate that was too high are corrected downwards', () => {
    const guessed = lost(100, 40);
    const day = asked({ reported: [cell([part(910)])], proxied: [proxiedUse(900), { ...guessed, cost: 30n }] });
    expect(reasonsOf(day)).toEqual([{ uncertain_calls: -20n }]);
  });
});

test.each(['batch', 'flex_discount', 'priority_on_demand'])(
  'unproxied cost equals the sum of its reasons, at the tier %s too',
  (tier) => {
    const rows = [part(1_000), part(500, { tier })];
    for (const input of [0, 400, 1_000]) {
      const proxied = { amounts: { input }, effective: NO_TOKENS, calls: 1 };
      const { cost } = computeResidual({ model: 'one', rows, proxied, isClosed: true }, () => CARD);
      const [reasons = {}] = reasonsOf(asked({ reported: [cell(rows)], proxied: [proxiedUse(input)] }));
      expect(cost).toBe((reasons['outside_gateway'] ?? 0n) + (reasons['batch'] ?? 0n));
    }
  },
);

describe('prices', () => {
  test('half a nano-dollar per call is rounding; more is a price difference of the ledger, with its version', () => {
    const recorded = (cost: bigint) =>
      asked({
        reported: [cell([part({ output: 100 })])],
        proxied: [
          proxiedUse(
            { output: 100 },
            { cost, calls: 10, terms: { ...PLAIN, provenance: { from: 'price', versions: ['user/one#2'] } as const } },
          ),
        ],
      });
    expect(reasonsOf(recorded(130n))).toEqual([{ rounding: 3n }]);
    expect(reasonsOf(recorded(1_330n))).toEqual([{ price_drift: -1_197n }]);
    const all = new ReconciliationTotals();
    all.add(recorded(1_330n));
    expect(all.drifts).toMatchObject([
      { model: 'one', provenance: { from: 'price', versions: ['user/one#2'] }, since: DAY, amount: -1_197n },
    ]);
  });

  test('that differ on the bill are reported with both prices for proxied usage; other usage costs what the bill says', () => {
    const day = asked({
      reported: [cell([part(1_000)]), cell([part(3_000)], 'direct')],
      proxied: [proxiedUse(600)],
      costs: [bill('input', 16_000)],
    });
    expect(reasonsOf(day)).toEqual([{ price_drift: 1_800n, outside_gateway: 1_600n }, { outside_gateway: 12_000n }]);
    const all = new ReconciliationTotals();
    all.add(day);
    const [drift] = all.drifts;
    expect([...(drift?.rates.values() ?? [])]).toEqual([
      { model: 'one', name: 'input', terms: '', listed: 1_000_000n, billed: 4_000_000n },
    ]);
    expect([all.listCost, all.billedCost, all.providerCost]).toEqual([4_000n, 16_000n, 16_000n]);
  });

  test('that equal the bill are no difference, for custom prices too', () => {
    const terms = { ...PLAIN, provenance: { from: 'price', versions: ['user/one#2'] } as const };
    const day = asked({
      reported: [cell([part(1_000)])],
      proxied: [proxiedUse(1_000, { cost: 800n, terms })],
      costs: [bill('input', 800)],
    });
    expect(reasonsOf(day)).toEqual([{}]);
    const all = new ReconciliationTotals();
    all.add(day);
    expect(all.drifts).toEqual([]);
  });

  test('that the ledger lacks have their own reason, at the price of the bill', () => {
    const unpriced = { model: 'two', cost: 0n, terms: { ...PLAIN, provenance: null } };
    const own = { model: 'two', terms: { ...PLAIN, provenance: { from: 'price', versions: ['user/two#1'] } as const } };
    const day = asked({
      reported: [cell([part(1_000)], 'wrapped', 'two')],
      proxied: [proxiedUse(300, unpriced), proxiedUse(500, { ...own, cost: 2_400n })],
      costs: [bill('input', 4_000, { model: 'two' })],
    });
    // The bill has 4 for each: 1,200 without a price, 2,000 that the own price has as 2,400, 800 beside the gate.
    expect(reasonsOf(day)).toEqual([{ no_price: 1_200n, price_drift: -400n, outside_gateway: 800n }]);
    const all = new ReconciliationTotals();
    all.add(day);
    expect(all.drifts.map(({ price, provenance, amount }) => [price, provenance, amount])).toEqual([
      ['none', null, 1_200n],
      ['custom', own.terms.provenance, -400n],
    ]);
    expect([...(all.drifts[0]?.rates.values() ?? [])]).toEqual([
      { model: 'two', name: 'input', terms: '', listed: null, billed: 4_000_000n },
    ]);
    const short = asked({
      reported: [cell([part(200)], 'wrapped', 'two')],
      proxied: [proxiedUse(300, unpriced)],
      costs: [bill('input', 800, { model: 'two' })],
    });
    expect(reasonsOf(short)).toEqual([{ no_price: 1_200n, unexplained: -400n }]);
  });

  test('that neither list nor bill has are no price difference of usage that the report lacks', () => {
    const terms = { ...PLAIN, provenance: { from: 'price', versions: ['user/two#1'] } as const };
    const day = asked({ proxied: [proxiedUse(500, { model: 'two', terms, cost: 2_400n })] });
    expect(reasonsOf(day)).toEqual([{ unexplained: -2_400n }]);
  });

  test('of prompt lengths that a report does not separate are those of the bill, and no difference', () => {
    const reported = [cell([part(1_000)]), cell([part(1_000)], 'direct')];
    const passed = [proxiedUse(600), proxiedUse(400, { cost: 1_200n, terms: { ...PLAIN, step: 100_000 } })];
    const day = asked({ reported, proxied: passed, costs: [bill('input', 1_800 + 2_000)] });
    expect(reasonsOf(day)).toEqual([{}, { outside_gateway: 2_000n }]);
    const drifted = asked({ reported, proxied: passed, costs: [bill('input', 1_800 + 3_500)] });
    expect(reasonsOf(drifted)[0]).toHaveProperty('price_drift');
  });

  test('of long prompts are compared by length, on both sides', () => {
    const lengths = [part(1_000, { context: '0-100k' }), part(1_000, { context: '100k-1m' })];
    const passed = [proxiedUse(600), proxiedUse(400, { cost: 1_200n, terms: { ...PLAIN, step: 100_000 } })];
    const day = asked({ reported: [cell(lengths), cell(lengths, 'direct')], proxied: passed });
    expect(reasonsOf(day)).toEqual([{ outside_gateway: 400n + 1_800n }, { outside_gateway: 4_000n }]);
  });

  test('of uses are in lines without a model', () => {
    const day = asked({
      reported: [cell([part({ input: 1_000, webSearch: 2 })], 'direct')],
      costs: [bill('input', 1_000), bill('webSearch', 20_000)],
    });
    expect(reasonsOf(day)).toEqual([{ outside_gateway: 21_000n }]);
  });

  test('of a prepaid tier that is not on the bill stay those of the list', () => {
    const day = asked({
      reported: [cell([part({ webSearch: 2 }), part({ webSearch: 1 }, { tier: 'priority' })], 'direct')],
      costs: [bill('webSearch', 20_000)],
    });
    expect(day.lines[0]?.line.providerCost).toBe(30_000n);
  });

  test('charges without reported usage are fees, of no key', () => {
    const fee = bill('input', 7_000, { kind: 'code_execution', class: 'codeExecution', model: null });
    const day = asked({ costs: [fee] });
    expect(day.fees).toMatchObject([
      { key: null, providerCost: 7_000n, reasons: [{ reason: 'fees', amount: 7_000n }] },
    ]);
    expect(day.coverage).toEqual({ passed: 0n, unknown: 0n, total: 7_000n });
  });
});

test('for any report and ledger, the reasons add up to the difference and the lines to the bill', () => {
  const amount = fc.nat(3_000_000);
  const amounts = fc.record(
    {
      input: amount,
      output: amount,
      cacheRead: amount,
      cacheWrite5m: amount,
      cacheWrite1h: amount,
      webSearch: fc.nat(4),
    },
    { requiredKeys: [] },
  );
  const row = fc.record({
    amounts,
    tier: fc.constantFrom('standard', 'batch', 'priority', null),
    geo: fc.constantFrom('global', 'us', null),
  });
  const use = fc.record({ amounts, cost: amount, isSure: fc.boolean(), step: fc.constantFrom(0, 100_000) });
  fc.assert(
    fc.property(
      fc.array(fc.record({ key: fc.constantFrom('wrapped', 'direct', 'unclear', null), row }), { maxLength: 8 }),
      fc.array(use, { maxLength: 5 }),
      fc.option(fc.nat(9_000_000)),
      (rows, uses, billed) => {
        const reported = rows.map(({ key, row: { amounts: counts, ...terms } }) => cell([part(counts, terms)], key));
        const day = asked({
          reported,
          proxied: uses.map(({ amounts: counts, cost, isSure, step }) =>
            proxiedUse(counts, {
              cost: BigInt(cost),
              uncertainUpTo: isSure ? 0n : 5_000n,
              terms: { ...PLAIN, certainty: isSure ? 'used' : 'at_most', step },
            }),
          ),
          costs: billed === null ? [] : [bill('input', billed)],
        });
        for (const { line } of day.lines) {
          if (line.providerCost === null) continue;
          expect(line.difference).toBe(line.providerCost - line.ledgerCost);
          expect(line.reasons.reduce((sum, one) => sum + one.amount, 0n)).toBe(line.difference);
        }
        const whole = asked({ reported: reported.filter(({ key }) => key !== 'wrapped') });
        const unproxied = day.lines.filter(({ line }) => line.key !== 'wrapped');
        if (billed === null)
          expect(unproxied.map(({ line }) => line.providerCost)).toEqual(
            whole.lines.map(({ line }) => line.providerCost),
          );
      },
    ),
    { numRuns: 300 },
  );
});

test('amounts already corrected from reports are listed separately', () => {
  const terms = { ...PLAIN, provenance: { from: 'report', versions: [] } } as const;
  const all = new ReconciliationTotals();
  all.add(
    asked({ reported: [cell([part(1_000)])], proxied: [proxiedUse(700), proxiedUse(300, { terms, calls: 20 })] }),
  );
  expect(all.corrected).toEqual({ calls: 20, cost: 300n });
  expect(all.reasons.unexplained).toBe(0n);
});
