import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fact, MODEL, openOrganizationLedger, type OrganizationLedger, TODAY } from '../../test/organization-ledger.ts';
import { eventually } from '../../test/service.ts';
import type { ReconciliationShape } from '../contract/reconciliation.ts';
import { ReportService } from '../ledger/report-service.ts';
import type { Entry } from '../domain/usage/call.ts';
import { NO_TERMS, type TokenCounts, type Usage } from '../domain/usage/usage.ts';
import { createLog } from '../lib/log.ts';
import { buildProviders } from '../providers/providers.ts';
import { resolveUncertainCallsJob } from './resolve-uncertain-calls.ts';
import { DAY_MS, HOUR_MS } from '../domain/time/units.ts';
import type { RecordedEntry } from '../storage/usage-queries.ts';

const DAY = TODAY - 5 * DAY_MS;
const LOST = {
  outcome: 'lost',
  uncertainReason: 'crash',
  usageSource: 'none',
  usage: null,
  cost: null,
  provenance: null,
  model: MODEL,
  // At 3 and 15 dollars for a million.
  counted: { usd: 21_000_000, inputTokens: 2_000, outputTokens: 1_000 },
} as const satisfies Partial<Entry>;
/** Whose client was gone before its end. */
const LEFT = {
  ...LOST,
  outcome: 'client_left',
  uncertainReason: 'client_left',
  usageSource: 'counted',
  provenance: { from: 'price', versions: ['v1'] },
} as const;
const usageOf = (tokens: TokenCounts): Usage => ({
  inferences: [{ model: null, tokens, promptTokens: tokens.input ?? 0 }],
  uses: {},
  thinking: 0,
  terms: NO_TERMS,
});

let open: OrganizationLedger;
let adminKey: string;

beforeEach(async () => {
  open = await openOrganizationLedger();
  open.it.time.now = TODAY - 40 * DAY_MS;
});
afterEach(async () => {
  await open.close();
});

const LOOKED_AT = { start: DAY, end: TODAY };

/** Reads what the organization says at noon of today; the book's own job has to wait for `share`. */
async function read(): Promise<void> {
  open.it.time.now = TODAY + DAY_MS / 2;
  adminKey ??= await open.connect();
  await open.startMostJobs();
  await open.read(adminKey);
}

/** Returns where it says why others are not told. */
async function share(shippedUntil = Infinity): Promise<ReportService> {
  const { ledger: testLedger, time } = open.it;
  const { store, records, prices } = testLedger;
  const providers = buildProviders({ urls: {}, custom: [] });
  const clock = () => time.now;
  const desk = new ReportService({ store, records, prices, providers, clock, poke: () => false });
  const log = createLog({ level: 'silent', destination: { write: () => undefined } });
  const cardOf = prices.resolve.bind(prices);
  const resolved = () => undefined;
  const saveUnresolved = desk.saveUnresolved.bind(desk);
  const parts = {
    records,
    ...store,
    compare: desk.compare,
    cardOf,
    clock,
    log,
    shippedUntil: () => Promise.resolve(shippedUntil),
    resolved,
    saveUnresolved,
    runner: 'run_1',
  };
  await records.jobs.free('test');
  await resolveUncertainCallsJob(parts).run(new AbortController().signal);
  time.now += HOUR_MS;
  return desk;
}

async function booked(workspaceId = 'ws_default'): Promise<readonly RecordedEntry[]> {
  const query = { range: { start: 0, end: TODAY }, filter: {}, cursor: null, limit: 100 };
  return (await open.it.ledger.store.reports.entriesPage(workspaceId, query)).rows;
}

const costs = (all: readonly RecordedEntry[]) => all.map(({ adjustments }) => adjustments.at(-1)?.costAfter ?? null);
const sumOf = (all: readonly (number | null)[]) => all.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);

async function reconciled(at = DAY) {
  const day = new Date(at).toISOString().slice(0, 10);
  const path = `/api/manage/reconciliation?startDate=${day}&endDate=${day}`;
  return (await open.it.json<ReconciliationShape>(path)).organizations[0];
}

test('lost calls of a gateway-only key get the remaining usage of the report, once', async () => {
  adminKey = await open.connect();
  const keyId = await open.wrap('ws_default');
  const lost = Array.from({ length: 20 }, (_, hour) =>
    open.it.entry({ ...LOST, keyId, startedAt: DAY + hour * HOUR_MS }),
  );
  await open.it.ship([open.it.entry({ keyId, model: MODEL, startedAt: DAY }), ...lost]);
  // 1,000 and 500 of the sure call; 7,001 read, 33 and 66 written, 4,003 out and 2 searches of the lost ones.
  const more = { input: 8_001, cacheRead: 7_001, write: 33, output: 4_503, searches: 2 };
  const amount = String((4_503 * 15) / 1e4);
  open.organization.facts = [fact({ ...more, amount })];
  await read();
  const before = await reconciled();
  expect(before?.reasons).toMatchObject({ outside_gateway: 0, unexplained: 0 });
  expect(before?.reasons.uncertain_calls).toBeGreaterThan(0);
  await share();
  const entries = await booked();
  const raised = entries.filter(({ entry }) => entry.uncertainReason === 'crash');
  // 7001 × 3 + 7001 × 0.3 + 66 × 3.75 + 33 × 6 + 4003 × 15 dollars for a million, and 2 searches.
  expect(sumOf(costs(raised))).toBe(21_003_000 + 2_100_300 + 247_500 + 198_000 + 60_045_000 + 20_000_000);
  const after = await reconciled();
  expect(after).toMatchObject({
    ledgerCost: before?.providerCost,
    reasons: { uncertain_calls: 0, outside_gateway: 0, unexplained: 0, price_drift: 0 },
    coverage: { share: 1 },
    corrected: { calls: 20, cost: before?.reasons.uncertain_calls },
  });
  const audit = await open.it.ledger.records.audit.list({ workspaceId: 'ws_default', limit: 100, before: null });
  expect(
    audit.filter(({ action, actor }) => action === 'entry.resolve' && actor === 'resolve_uncertain_calls'),
  ).toHaveLength(20);
  await share();
  await read();
  await share();
  expect(await booked()).toEqual(entries);
});

test('lost calls wait while a node may have other calls of their day in its journal, and say so', async () => {
  adminKey = await open.connect();
  const keyId = await open.wrap('ws_default');
  await open.it.ship([open.it.entry({ ...LOST, keyId, startedAt: DAY, endedAt: DAY + 1 })]);
  open.organization.facts = [fact({ input: 1_900, output: 600, amount: '0.9' })];
  await read();
  const reports = await share(DAY + DAY_MS - 1);
  expect(costs(await booked())).toEqual([null]);
  expect(reports.unresolvedCalls(adminKey, 'apikey_1', LOOKED_AT)).toEqual({ why: 'unshipped', day: DAY });
  // The late call of 1,000 and 500 tokens.
  await open.it.ship([open.it.entry({ keyId, model: MODEL, startedAt: DAY })]);
  await share(DAY + DAY_MS);
  expect(sumOf(costs(await booked()))).toBe(900 * 3_000 + 100 * 15_000);
});

test('lost calls of closed days are resolved right after their report is read', async () => {
  adminKey = await open.connect();
  const keyId = await open.wrap('ws_default');
  await open.it.ship([open.it.entry({ ...LOST, keyId, startedAt: TODAY - DAY_MS, endedAt: TODAY - DAY_MS + 1 })]);
  open.organization.facts = [fact({ day: TODAY - DAY_MS, input: 900, output: 100, amount: '0.15' })];
  open.it.time.now = TODAY + DAY_MS / 2;
  await open.it.ledger.startJobs();
  await open.read(adminKey);
  expect(costs(await booked())).toEqual([null]);
  open.it.time.now += 2 * DAY_MS;
  await open.read(adminKey);
  expect(
    await eventually(
      async () => costs(await booked()),
      ([cost]) => cost !== null,
    ),
  ).toEqual([900 * 3_000 + 100 * 15_000]);
});

test('lost calls whose report was read before a restart are resolved at the start, also in the limits of the gateway', async () => {
  adminKey = await open.connect();
  const keyId = await open.wrap('ws_default');
  await open.it.ledger.snapshot();
  const touched = [{ counter: 7, unit: 'usd', windowStart: 0, value: '' }] as const;
  await open.it.ship([open.it.entry({ ...LOST, keyId, startedAt: DAY, endedAt: DAY + 1, touched })]);
  open.organization.facts = [fact({ input: 900, output: 100, amount: '0.15' })];
  await read();
  expect(costs(await booked())).toEqual([null]);
  await open.it.ledger.startJobs();
  const cost = 900 * 3_000 + 100 * 15_000;
  expect(
    await eventually(
      async () => costs(await booked()),
      ([resolved]) => resolved !== null,
    ),
  ).toEqual([cost]);
  const bound = LOST.counted.usd;
  const move = { counter: 7, windowStart: 0, value: '', counted: cost - bound, uncertain: -bound };
  const moved = async () => open.it.sentToGateway.filter(({ type }) => type === 'counters-moved');
  expect(await eventually(moved, (found) => found.length > 0)).toEqual([{ type: 'counters-moved', moves: [move] }]);
});

test('calls of a key that is also used elsewhere on any closed day stay uncertain', async () => {
  adminKey = await open.connect();
  const keyId = await open.wrap('ws_default');
  await open.it.ship([open.it.entry({ ...LOST, keyId, startedAt: DAY })]);
  open.organization.facts = [
    fact({ input: 900, output: 100, amount: '0.15' }),
    fact({ day: DAY - 9 * DAY_MS, input: 1, output: 0, amount: '0' }),
  ];
  await read();
  const desk = await share();
  expect(costs(await booked())).toEqual([null]);
  expect((await reconciled())?.reasons).toMatchObject({ unexplained: 0, uncertain_calls: 0.0042 });
  expect(desk.unresolvedCalls(adminKey, 'apikey_1', LOOKED_AT)).toEqual({ why: 'shared', day: DAY - 9 * DAY_MS });
  // Days that are looked at no more, whatever was shown of them.
  const old = { start: DAY - 60 * DAY_MS, end: DAY - 59 * DAY_MS };
  expect(desk.unresolvedCalls(adminKey, 'apikey_1', old)).toMatchObject({ why: 'old' });
});

test('usage of an unpriced model, which may be the same model, resolves nothing', async () => {
  adminKey = await open.connect();
  const keyId = await open.wrap('ws_default');
  await open.it.ship([open.it.entry({ ...LOST, keyId, startedAt: DAY })]);
  open.organization.facts = [fact({ model: 'unheard-of', input: 900, output: 100 })];
  await read();
  const desk = await share();
  expect(costs(await booked())).toEqual([null]);
  expect(desk.unresolvedCalls(adminKey, 'apikey_1', LOOKED_AT)).toEqual({ why: 'unpriced', day: DAY });
});

describe.each([
  ['it began', 0],
  ['it ended', 1],
])('a call that runs at midnight and that the provider counts on the day on which %s', (_, late) => {
  const NIGHT = DAY + DAY_MS;
  const times = { startedAt: NIGHT - 10_000, endedAt: NIGHT + 20_000 };
  const rest = async () => {
    const all = await open.it.ledger.store.unproxiedUsage.dailySums('ws_default', { start: 0, end: TODAY });
    return all.map(({ day, totals }) => [(day - DAY) / DAY_MS, totals.outputTokens] as const);
  };
  const said = (changes: object) => open.it.entry({ model: MODEL, keyId, ...times, ...changes });
  let keyId: string;

  beforeEach(async () => {
    adminKey = await open.connect();
    keyId = await open.wrap('ws_default');
  });

  test('is on one day only, explained, and lost calls of its key can be resolved', async () => {
    const noon = { startedAt: DAY + 12 * HOUR_MS, endedAt: DAY + 12 * HOUR_MS + 1 };
    await open.it.ship([said({}), said({ ...LOST, ...noon })]);
    const lost = fact({ input: 700, output: 90, amount: '0.135' });
    open.organization.facts =
      late === 0
        ? [fact({ input: 1_700, output: 590, amount: '0.885' })]
        : [lost, fact({ day: NIGHT, amount: '0.75' })];
    await read();
    expect(await rest()).toEqual([[0, 90]]);
    for (const day of [DAY, NIGHT])
      expect((await reconciled(day))?.reasons).toMatchObject({ outside_gateway: 0, unexplained: 0 });
    await share();
    expect(sumOf(costs(await booked()))).toBe(700 * 3_000 + 90 * 15_000);
    expect((await reconciled(DAY))?.reasons.uncertain_calls).toBe(0);
  });

  test('is resolved if its response was lost', async () => {
    await open.it.ship([said(LOST)]);
    open.organization.facts = [fact({ day: DAY + late * DAY_MS, input: 900, output: 100, amount: '0.15' })];
    await read();
    await share();
    expect(costs(await booked())).toEqual([900 * 3_000 + 100 * 15_000]);
    await read();
    expect(await rest()).toEqual([]);
  });

  describe.each([
    ['was noted before its answer broke off', LOST, 1, null],
    ['is estimated', LEFT, 20, 900 * 3_000 + 20 * 15_000],
  ])('and whose usage %s', (_how, unsure, output, cost) => {
    const usage = usageOf({ input: 900, output });
    const owed = async () => {
      const range = { start: DAY, end: NIGHT + DAY_MS };
      const { unproxiedUsage, reports } = open.it.ledger.store;
      const passed = (await reports.summary('ws_default', range)).total;
      const all = [passed, ...(await unproxiedUsage.dailySums('ws_default', range)).map(({ totals }) => totals)];
      const sum = (of: (one: (typeof all)[number]) => number): number => all.reduce((so, one) => so + of(one), 0);
      return {
        input: sum((one) => one.inputTokens),
        output: sum((one) => one.outputTokens),
        cost: sum((one) => Number(one.cost)),
      };
    };

    test('is charged once, and resolved', async () => {
      await open.it.ship([said({ ...unsure, usage, cost })]);
      open.organization.facts = [fact({ day: DAY + late * DAY_MS, input: 900, output: 100, amount: '0.15' })];
      await read();
      const once = { input: 900, output: 100, cost: 900 * 3_000 + 100 * 15_000 };
      expect(await owed()).toEqual(once);
      expect(await rest()).toEqual([[late, 100 - output]]);
      await share();
      expect(costs(await booked())).toEqual([once.cost]);
      await read();
      expect(await owed()).toEqual(once);
      expect(await rest()).toEqual([]);
    });

    test('is owed once, also if its key is used elsewhere', async () => {
      await open.it.ship([said({ ...unsure, usage, cost })]);
      const days = [
        { input: 0, cacheRead: 5_000, output: 3_000 },
        { input: 0, cacheRead: 5_000, output: 3_000 },
      ];
      days[late] = { input: 900, cacheRead: 5_000, output: 3_100 };
      open.organization.facts = days.map((one, day) => fact({ day: DAY + day * DAY_MS, ...one }));
      await read();
      await share();
      expect(costs(await booked())).toEqual([null]);
      expect(await owed()).toEqual({
        input: 10_900,
        output: 6_100,
        cost: 900 * 3_000 + 10_000 * 300 + 6_100 * 15_000,
      });
    });
  });

  test('hides no unproxied usage on either day', async () => {
    await open.it.ship([said({})]);
    const unproxied = [
      [40, 20],
      [40, 20],
    ];
    unproxied[late] = [1_040, 520];
    open.organization.facts = unproxied.map(([input = 0, output = 0], day) =>
      fact({ day: DAY + day * DAY_MS, input, output }),
    );
    await read();
    expect(new Map(await rest())).toEqual(
      new Map([
        [0, 20],
        [1, 20],
      ]),
    );
  });

  test('counts on that day for any number of nights in a row', async () => {
    const sizes = [7, 30, 12, 5, 5, 5, 11];
    const nights = sizes.map((_size, ago) => DAY - ago * DAY_MS);
    await open.it.ship(
      nights.map((night, index) =>
        said({
          startedAt: night - 10_000,
          endedAt: night + 20_000,
          usage: usageOf({ output: sizes[index] ?? 0 }),
          cost: (sizes[index] ?? 0) * 15_000,
        }),
      ),
    );
    open.organization.facts = nights.map((night, index) =>
      fact({
        day: night - (1 - late) * DAY_MS,
        input: 0,
        output: sizes[index] ?? 0,
        amount: String((sizes[index] ?? 0) * 0.0015),
      }),
    );
    await read();
    expect(await rest()).toEqual([]);
    for (const night of nights)
      expect((await reconciled(night))?.reasons).toMatchObject({ outside_gateway: 0, unexplained: 0 });
  });
});

test('calls that ran at the end of the newest closed day are resolved when the next day is closed', async () => {
  adminKey = await open.connect();
  const keyId = await open.wrap('ws_default');
  const night = TODAY - 2 * DAY_MS;
  await open.it.ship([open.it.entry({ ...LOST, keyId, startedAt: night - 10_000, endedAt: night + 20_000 })]);
  open.organization.facts = [fact({ day: night, input: 900, output: 100, amount: '0.15' })];
  await read();
  const desk = await share();
  expect(desk.unresolvedCalls(adminKey, 'apikey_1', LOOKED_AT)).toMatchObject({ why: 'open' });
  expect(costs(await booked())).toEqual([null]);
  open.it.time.now = TODAY + 1.5 * DAY_MS;
  await open.read(adminKey);
  await share();
  expect(costs(await booked())).toEqual([900 * 3_000 + 100 * 15_000]);
});

test.each([
  ['below the list', '1.5', '7.5', 900 * 1_500 + 100 * 7_500],
  ['above it', '6', '30', 900 * 6_000 + 100 * 30_000],
])('calls of a workspace whose custom price is %s are resolved at the custom price', async (_, input, output, cost) => {
  adminKey = await open.connect();
  const keyId = await open.wrap('ws_default');
  const body = { provider: 'anthropic', model: MODEL, usdPerMillion: { input, output } };
  await open.it.json('/api/manage/prices', { method: 'POST', body });
  const counted = {
    usd: 1_000 * Number(input) * 1_000 + 100 * Number(output) * 1_000,
    inputTokens: 1_000,
    outputTokens: 100,
  };
  await open.it.ship([open.it.entry({ ...LOST, counted, keyId, startedAt: DAY, endedAt: DAY + 1 })]);
  open.organization.facts = [fact({ input: 900, output: 100, amount: '0.15' })];
  await read();
  expect((await reconciled())?.reasons).toMatchObject({ outside_gateway: 0, unexplained: 0 });
  await share();
  expect(costs(await booked())).toEqual([cost]);
  expect(await reconciled()).toMatchObject({
    corrected: { calls: 1, cost: cost / 1e9 },
    prices: [
      {
        price: 'custom',
        rates: [
          { class: 'input', ours: Number(input) },
          { class: 'output', ours: Number(output) },
        ],
      },
    ],
    reasons: { uncertain_calls: 0, unexplained: 0 },
  });
});

test('calls of a workspace with custom prices are resolved if only one of them searched', async () => {
  adminKey = await open.connect();
  const keyId = await open.wrap('ws_default');
  const usdPerMillion = { input: '1.5', output: '7.5' };
  const body = { provider: 'anthropic', model: MODEL, usdPerMillion, fees: { webSearch: '0.01' } };
  await open.it.json('/api/manage/prices', { method: 'POST', body });
  const lost = (usd: number, inputTokens: number) =>
    open.it.entry({ ...LOST, counted: { usd, inputTokens, outputTokens: 0 }, keyId, startedAt: DAY, endedAt: DAY + 1 });
  // Five searches at a cent each, and none: of both the bounds at their own price are too low, and those of tokens at the
  // list's dearest too.
  await open.it.ship([lost(50_150_000, 100), lost(4_350_000, 2_900)]);
  open.organization.facts = [fact({ input: 3_000, output: 0, searches: 5, amount: '0' })];
  await read();
  expect((await reconciled())?.reasons).toMatchObject({ outside_gateway: 0, unexplained: 0 });
  await share();
  expect(costs(await booked())).not.toContain(null);
});

test.each([
  ['is told no more than it may have cost', LOST.counted.usd, true],
  ['that can’t have cost its share is not told, nor are they', 5_000_000, false],
])('with calls at a custom price, one of another %s', async (_, usd, isTold) => {
  adminKey = await open.connect();
  const other = await open.it.json<{ id: string }>('/api/manage/workspaces', {
    method: 'POST',
    body: { name: 'other' },
  });
  const [plain, cheap] = [await open.wrap('ws_default'), await open.wrap(other.id)];
  const body = { provider: 'anthropic', model: MODEL, usdPerMillion: { input: '0.3', output: '1.5' } };
  await open.it.json('/api/manage/prices', { method: 'POST', body, headers: { 'x-svc-workspace': other.id } });
  const counted = { ...LOST.counted, usd: LOST.counted.usd / 10 };
  await open.it.ship([
    open.it.entry({ ...LOST, counted: { ...LOST.counted, usd }, keyId: plain, startedAt: DAY }),
    open.it.entry({ ...LOST, counted, keyId: cheap, workspaceId: other.id, startedAt: DAY }),
  ]);
  // All that both may have used.
  open.organization.facts = [fact({ input: 4_000, output: 2_000, amount: '3' })];
  await read();
  await share();
  expect(costs(await booked())).toEqual([isTold ? usd : null]);
  expect(costs(await booked(other.id))).toEqual([isTold ? counted.usd : null]);
});

test('calls with a lost response are read once per day, for any number of keys and models', async () => {
  adminKey = await open.connect();
  const models = [MODEL, 'claude-opus-4-5', 'claude-haiku-4-5'];
  const keyId = await open.wrap('ws_default');
  await open.it.ship(models.map((model) => open.it.entry({ ...LOST, model, keyId, startedAt: DAY, endedAt: DAY + 1 })));
  await read();
  const { reports } = open.it.ledger.store;
  const asked = vi.spyOn(reports, 'entriesPage');
  await share();
  // Once to see whether there are any.
  expect(asked).toHaveBeenCalledTimes(2);
  asked.mockRestore();
  expect(costs(await booked())).toEqual([0, 0, 0]);
});

test('unresolved calls of a key have a reason next to their amount, resolved ones have none', async () => {
  adminKey = await open.connect();
  open.it.time.now = DAY + HOUR_MS;
  const keyId = await open.wrap('ws_default');
  const at = (startedAt: number): Entry => open.it.entry({ ...LOST, keyId, startedAt, endedAt: startedAt + 1 });
  await open.it.ship([at(DAY + 2 * HOUR_MS), at(DAY + DAY_MS)]);
  open.organization.facts = [
    fact({ input: 900, output: 100, amount: '0.15' }),
    fact({ day: DAY + DAY_MS, input: 900, output: 100, amount: '0.15' }),
  ];
  await read();
  const why = 'The wrapped keys of this provider key changed on 10 Mar 2026.';
  await open.it.ledger.startJobs();
  const lost = await eventually(
    async () => (await reconciled())?.unresolvedCalls,
    (all) => all?.[0]?.why === why,
  );
  const key = { id: 'apikey_1', name: 'Prod', wrapped: ['key 1'] };
  expect(lost).toEqual([{ key, amount: 0.0042, why }]);
  expect((await reconciled(DAY + DAY_MS))?.unresolvedCalls).toEqual([]);
});

test('more usage than possible, days that may still change and days before the key was wrapped resolve nothing', async () => {
  adminKey = await open.connect();
  const keyId = await open.wrap('ws_default');
  open.it.time.now = DAY + DAY_MS;
  const late = await open.wrap('ws_default', 'sk-ant-api03-another-key-0123456789');
  const at = (startedAt: number, key: string): Entry => open.it.entry({ ...LOST, keyId: key, startedAt });
  await open.it.ship([at(DAY, keyId), at(TODAY - DAY_MS, keyId), at(DAY, late)]);
  open.organization.facts = [fact({ input: 2_001, output: 0 }), fact({ day: TODAY - DAY_MS })];
  await read();
  await share();
  expect(costs(await booked())).toEqual([null, null, null]);
});

test('calls of one provider key in several workspaces share by their bounds, and free ones are resolved as free', async () => {
  adminKey = await open.connect();
  const other = await open.it.json<{ id: string }>('/api/manage/workspaces', {
    method: 'POST',
    body: { name: 'other' },
  });
  const [first, second] = [await open.wrap('ws_default'), await open.wrap(other.id)];
  const counted = { usd: 63_000_000, inputTokens: 6_000, outputTokens: 3_000 };
  await open.it.ship([
    open.it.entry({ ...LOST, keyId: first, startedAt: DAY }),
    open.it.entry({ ...LOST, counted, keyId: second, workspaceId: other.id, startedAt: DAY }),
    open.it.entry({ ...LOST, keyId: first, startedAt: DAY - DAY_MS }),
  ]);
  open.organization.facts = [fact({ input: 4_000, output: 0, amount: '0' })];
  await read();
  await share();
  expect(costs(await booked(other.id))).toEqual([9_000_000]);
  expect(costs(await booked())).toEqual([3_000_000, 0]);
});
