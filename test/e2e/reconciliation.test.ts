import { expect, onTestFinished, test } from 'vitest';
import type { ReconciliationShape } from '../../src/contract/reconciliation.ts';
import type { UsageSummary } from '../../src/contract/usage.ts';
import type { Entry } from '../../src/domain/usage/call.ts';
import { priceUsage } from '../../src/domain/pricing/pricing.ts';
import { fromPrices } from '../../src/domain/pricing/provenance.ts';
import { NO_TERMS, type Usage } from '../../src/domain/usage/usage.ts';
import type { Fact } from '../doubles/admin-api.ts';
import { fact, MODEL, openOrganizationLedger, type OrganizationLedger, TODAY } from '../organization-ledger.ts';
import { DAY_MS } from '../../src/domain/time/units.ts';

// Causes of differences are planted, with amounts of which the double knows nothing: each is found under its own reason.

const DAY = TODAY - 5 * DAY_MS;
const PLANTED = '2026-03-10';
/** nano-USD for a token, or a search, as the vendor's page has them. */
const RATES = { input: 3_000, cacheRead: 300, cacheWrite5m: 3_750, cacheWrite1h: 6_000, output: 15_000 };
const SEARCH = 10_000_000;
const HISTORY_DAYS = 90;

const KEYS = ['clean', 'lost', 'wrong', 'batch', 'direct', 'history'].map((name) => ({
  id: `apikey_${name}`,
  name,
  hint: `sk-ant-api03-${name.slice(0, 3)}...${name.slice(-3)}A`,
}));
const providerKey = (name: string): string => `sk-ant-api03-${name}-0123456789-0123456789-${name.slice(-3)}A`;

interface Used {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  /** 1-hour cache writes; of 5-minute ones there are twice as many. */
  readonly write?: number;
  readonly searches?: number;
}

/** What a call, or many, add to the report, with the lines of the bill. */
function reported(name: string, used: Used, changes: Partial<Fact> = {}): Fact {
  const { input, output, cacheRead = 0, write = 0, searches = 0 } = used;
  const half = changes.tier === 'batch' ? 2 : 1;
  const cents = (amount: number): string => String(amount / half / 1e7);
  const lines = {
    uncached_input_tokens: cents(input * RATES.input),
    output_tokens: cents(output * RATES.output),
    cache_read_input_tokens: cents(cacheRead * RATES.cacheRead),
    'cache_creation.ephemeral_5m_input_tokens': cents(2 * write * RATES.cacheWrite5m),
    'cache_creation.ephemeral_1h_input_tokens': cents(write * RATES.cacheWrite1h),
    web_search: String((searches * SEARCH) / 1e7),
  };
  return fact({ day: DAY, key: `apikey_${name}`, input, output, cacheRead, write, searches, lines, ...changes });
}

/** nano-USD at list price. */
function nano({ input, output, cacheRead = 0, write = 0, searches = 0 }: Used): number {
  const writes = 2 * write * RATES.cacheWrite5m + write * RATES.cacheWrite1h;
  return input * RATES.input + output * RATES.output + cacheRead * RATES.cacheRead + writes + searches * SEARCH;
}

function usageOf({ input, output, cacheRead = 0, write = 0, searches = 0 }: Used): Usage {
  const tokens = { input, output, cacheRead, cacheWrite5m: 2 * write, cacheWrite1h: write };
  const promptTokens = input + cacheRead + 3 * write;
  const uses = searches > 0 ? { webSearch: searches } : {};
  return { inferences: [{ model: null, tokens, promptTokens }], uses, thinking: 0, terms: NO_TERMS };
}

const sumOf = (all: readonly Used[]): Used => ({
  input: all.reduce((sum, { input }) => sum + input, 0),
  output: all.reduce((sum, { output }) => sum + output, 0),
  cacheRead: all.reduce((sum, { cacheRead = 0 }) => sum + cacheRead, 0),
  write: all.reduce((sum, { write = 0 }) => sum + write, 0),
  searches: all.reduce((sum, { searches = 0 }) => sum + searches, 0),
});
const many = (count: number, usedOf: (index: number) => Used): Used[] =>
  Array.from({ length: count }, (_, i) => usedOf(i));

const CLEAN = many(40, (i) => ({
  input: 900 + 7 * i,
  output: 90 + i,
  cacheRead: i % 3 === 0 ? 5_000 : 0,
  write: i % 5 === 0 ? 300 : 0,
  searches: i % 8 === 0 ? 1 : 0,
}));
const DEAR = many(10, (i) => ({ input: 400 + i, output: 50 }));
const KNOWN = many(6, (i) => ({ input: 1_000, output: 10 + i }));
const LOST = sumOf(many(20, (i) => ({ input: 700 + 3 * i, output: 31 + i, write: 5 })));
const DIRECT = { input: 41_000, output: 3_210, searches: 2 };
const BATCH = { input: 20_000, output: 5_000 };

/** Books calls of the gate as it would: at the prices of their workspace. */
async function book(
  { it }: OrganizationLedger,
  keyId: string,
  workspaceId: string,
  all: readonly Used[],
): Promise<void> {
  await it.ship(
    all.map((used, index) => {
      const usage = usageOf(used);
      const startedAt = DAY + index * 1_000;
      const resolve = (model: string) => it.ledger.prices.resolve(workspaceId, 'anthropic', model, startedAt);
      const { cost, versions } = priceUsage(usage, MODEL, resolve);
      const counted = { usd: cost, inputTokens: used.input, outputTokens: used.output };
      return it.entry({
        keyId,
        workspaceId,
        model: MODEL,
        startedAt,
        usage,
        cost,
        counted,
        provenance: fromPrices(versions),
      });
    }),
  );
}

async function plant(planted: OrganizationLedger): Promise<void> {
  const { it, organization, wrap } = planted;
  it.time.now = DAY - DAY_MS;
  // In another workspace than the connection's, whose own price is the wrong one.
  const other = await it.json<{ id: string }>('/api/manage/workspaces', { method: 'POST', body: { name: 'right' } });
  const [clean, lost, batch] = await Promise.all(
    ['clean', 'lost', 'batch'].map((name) => wrap(other.id, providerKey(name))),
  );
  const wrong = await wrap('ws_default', providerKey('wrong'));
  const price = { provider: 'anthropic', model: MODEL, usdPerMillion: { input: '30', output: '150' } };
  await it.json('/api/manage/prices', { method: 'POST', body: price });
  it.time.now = DAY + DAY_MS;
  await book(planted, clean ?? '', other.id, CLEAN);
  await book(planted, lost ?? '', other.id, KNOWN);
  await book(planted, batch ?? '', other.id, KNOWN);
  await book(planted, wrong, 'ws_default', DEAR);
  const gone: Partial<Entry> = {
    outcome: 'lost',
    uncertainReason: 'crash',
    usageSource: 'none',
    usage: null,
    cost: null,
    provenance: null,
    counted: { usd: 20_000_000, inputTokens: 2_000, outputTokens: 500 },
  };
  const calls = Array.from({ length: 20 }, (_, index) =>
    it.entry({ ...gone, model: MODEL, workspaceId: other.id, keyId: lost ?? '', startedAt: DAY + index }),
  );
  await it.ship(calls);
  organization.facts = [
    reported('clean', sumOf(CLEAN)),
    reported('lost', sumOf([...KNOWN, LOST])),
    reported('wrong', sumOf(DEAR)),
    reported('batch', sumOf(KNOWN)),
    reported('batch', BATCH, { tier: 'batch' }),
    reported('direct', DIRECT),
    ...many(HISTORY_DAYS, (i) => ({ input: 1_000 + i, output: 9 * i, cacheRead: 77 * i })).map((used, i) =>
      reported('history', used, { day: DAY - (i + 1) * DAY_MS }),
    ),
  ];
}

const usd = (amount: number): number => Number((amount / 1e9).toFixed(9));

test('each planted cause is named with its amount, and nothing is left unexplained', async () => {
  const planted = await openOrganizationLedger({ keys: KEYS, pageDays: 4, pageRows: 3 });
  onTestFinished(() => planted.close());
  const { it } = planted;
  await plant(planted);
  it.time.now = TODAY + DAY_MS / 2;
  const admin = await planted.connect();
  await planted.startMostJobs();
  await planted.read(admin);
  const ask = async (from: string, to = from) =>
    (await it.json<ReconciliationShape>(`/api/manage/reconciliation?startDate=${from}&endDate=${to}`)).organizations[0];
  const found = await ask(PLANTED);
  const whole = nano(sumOf([...CLEAN, ...KNOWN, ...KNOWN, LOST, ...DEAR, DIRECT])) + nano(BATCH) / 2;
  expect(found).toMatchObject({
    reasons: {
      outside_gateway: usd(nano(DIRECT)),
      uncertain_calls: usd(nano(LOST)),
      price_drift: usd(-9 * nano(sumOf(DEAR))),
      batch: usd(nano(BATCH) / 2),
      fees: 0,
      unknown_key: 0,
      not_final: 0,
      rounding: 0,
      unexplained: 0,
    },
    keys: [{ key: { name: 'direct' } }, { key: { name: 'batch' } }],
    prices: [{ model: MODEL, price: 'custom', rates: [{ class: 'input', ours: 30, theirs: 3 }, { class: 'output' }] }],
    providerCost: usd(whole),
    billedCost: usd(whole),
    listCost: usd(whole),
    coverage: { throughGateway: usd(whole - nano(DIRECT) - nano(BATCH) / 2), total: usd(whole) },
    unpricedLines: 0,
  });
  const windows = [1, 32, 63].map((ago) =>
    [ago + 30, ago].map((days) => new Date(DAY - days * DAY_MS).toISOString().slice(0, 10)),
  );
  for (const [from = '', to = ''] of windows) {
    const past = await ask(from, to);
    expect(past?.reasons).toMatchObject({ outside_gateway: past?.providerCost, unexplained: 0, rounding: 0 });
    expect(past?.billedCost).toBe(past?.providerCost);
  }
  const { totalCost } = await it.json<UsageSummary>(`/api/mcp/usage/summary?startDate=2025-11-01&endDate=${PLANTED}`);
  await planted.read(admin);
  expect(await ask(PLANTED)).toEqual(found);
  const again = await it.json<UsageSummary>(`/api/mcp/usage/summary?startDate=2025-11-01&endDate=${PLANTED}`);
  expect(again.totalCost).toBe(totalCost);
});
