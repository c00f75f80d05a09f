// What reports of an organization cost the store: `node bench/provider-reports.ts [--days 3650]`, by default ten years of
// 500 keys with three models. CPU time, the median of seven.
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { KeyMatch } from '../src/domain/reconciliation/match-provider-keys.ts';
import type { RateCard } from '../src/domain/pricing/price.ts';
import type { ReportDay } from '../src/domain/reconciliation/provider-report.ts';
import type { HeldProviderKey } from '../src/domain/reconciliation/held-keys.ts';
import { unproxiedByModel } from '../src/domain/reconciliation/unproxied-usage.ts';
import { createPriceBook } from '../src/prices/price-book.ts';
import { type DayParts, readOrganizationDay } from '../src/provider-reports/organization-day.ts';
import { reconcileInSteps } from '../src/domain/reconciliation/reconcile.ts';
import { ReconciliationTotals } from '../src/domain/reconciliation/reconciliation-totals.ts';
import { entryOf } from '../test/support/arbitrary-entry.ts';
import type { ReportState } from '../src/storage/provider-reports.ts';
import { openDatabase } from '../src/storage/sqlite/open-database.ts';
import { openSqliteStore } from '../src/storage/sqlite/sqlite-store.ts';
import { machine, median, table } from './page.ts';
import { DAY_MS } from '../src/domain/time/units.ts';

const { values: flags } = parseArgs({ options: { days: { type: 'string', default: '3650' } } });
const DAYS = Number(flags.days);
const NEWEST = Date.UTC(2026, 10, 20);
const KEYS = 500;
const MODELS = 3;
const RUNS = 7;

const folder = join(tmpdir(), 'tollbook-bench');
mkdirSync(folder, { recursive: true });
const file = join(folder, 'provider-reports.db');
for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
const { sqlite, close } = await openDatabase(file);
const { entries, providerReports, unproxiedUsage, reports } = openSqliteStore(sqlite);

const NOTHING: ReportState = { revision: 0, goal: 0, top: 0, doneFrom: 0, doneTo: 0, cursor: null, readAt: 0 };
let revision = 0;

function dayOf(day: number, more: number): ReportDay {
  const rows = Array.from({ length: KEYS * MODELS }, (_, number) => ({
    key: `apikey_${Math.floor(number / MODELS)}`,
    project: `wrkspc_${number % 20}`,
    model: `model-${number % MODELS}`,
    tier: 'standard',
    context: '0-200k',
    geo: 'global',
    speed: 'standard',
    amounts: {
      input: 1_000_000 + number + more,
      cacheRead: 5_000_000 + number,
      cacheWrite5m: 30_000,
      cacheWrite1h: 20_000,
      output: 400_000,
      webSearch: 3,
    },
    requests: null,
  }));
  return { kind: 'usage', day, rows };
}

async function keep(days: readonly ReportDay[]): Promise<void> {
  const state = { ...NOTHING, revision };
  const page = { connectionId: 'ak_1', report: 'messages', readAt: 1, days, goesOn: false, names: [], state };
  if (await providerReports.keep(page)) revision += 1;
}

/** The first day as all others. */
function fill(): void {
  sqlite.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${DAYS - 1})
    INSERT INTO report_usage SELECT connection, day + n.i * ${DAY_MS}, report, key, model, project, tier, context, geo,
      speed, input + n.i, cache_read, cache_write, cache_write_5m, cache_write_1h, output, web_searches, others, requests
    FROM n CROSS JOIN (SELECT * FROM report_usage)`);
}

/** Fills each roll-up of key usage with as many rows: one call is recorded, and its row is copied. */
async function fillGatewayUsage(): Promise<void> {
  const day = NEWEST - (DAYS - 1) * DAY_MS;
  await entries.append({
    journalId: 'bench',
    mark: 1,
    entries: [entryOf('call_1', { workspaceId: 'ws_1', startedAt: day })],
  });
  for (let key = 0; key < KEYS; key += 1)
    sqlite.prepare('INSERT OR IGNORE INTO names (text) VALUES (?)').run(`key_${key}`);
  for (const into of ['key_model_day', 'key_use_day']) {
    const columns = sqlite.prepare('SELECT name FROM pragma_table_info(?)').all(into);
    const values: Record<string, string> = { start: `start + n.i * ${DAY_MS}`, key: 'k.id', model: 'm.id' };
    sqlite.exec(`WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${DAYS - 1})
      INSERT OR IGNORE INTO ${into} SELECT ${columns.map(({ name }) => values[String(name)] ?? String(name)).join(', ')}
      FROM n CROSS JOIN (SELECT * FROM ${into}) CROSS JOIN (SELECT id FROM names WHERE text GLOB 'key_[0-9]*') k
      CROSS JOIN (SELECT id FROM names WHERE text GLOB 'model-*') m`);
  }
}

const heldKeys = Array.from({ length: KEYS }, (_, number): HeldProviderKey => {
  const key = `sk-ant-api03-${String(number).padStart(4, '0')}${'x'.repeat(40)}${String(number).padStart(4, '0')}`;
  const times = { heldSince: 0, heldUntil: null };
  return {
    id: `pk_${number}`,
    key,
    fingerprint: null,
    ends: null,
    lastFour: null,
    wrappedKeyIds: [`key_${number}`],
    ...times,
  };
});

const prices = createPriceBook();
const parts: DayParts = {
  records: {
    keys: { heldKeys: () => Promise.resolve(heldKeys) },
    workspaces: {
      list: () => Promise.resolve([{ id: 'ws_1', name: '', timeZone: 'UTC', retentionDays: 400, createdAt: 0 }]),
    },
  },
  reports,
  providerReports,
  cardOf: (_, provider, _model, at) => prices.resolve('', provider, 'claude-sonnet-4-5', at),
};
const connection = { id: 'ak_1', workspaceId: 'ws_1', provider: 'anthropic' };
const hinted = heldKeys.map(({ key }, number) => ({
  id: `apikey_${number}`,
  hint: `${key?.slice(0, 17)}...${key?.slice(-4)}`,
}));

/** What is left of a day, and what the summary reads of it: every other day is a copy. */
async function compute30Days(): Promise<void> {
  const keys = { hinted, held: heldKeys, readFrom: 0, closedBefore: NEWEST + DAY_MS };
  const compute = async (): Promise<void> => {
    const day = NEWEST - DAY_MS;
    const left = unproxiedByModel(await readOrganizationDay(parts, connection, keys, day));
    const place = { connectionId: 'ak_1', workspaceId: 'ws_1', provider: 'anthropic', day, serial: 0 };
    await unproxiedUsage.replaceDay({ ...place, isClosed: true, terms: '', rows: left });
  };
  await measure('settling a day', compute);
  sqlite.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${DAYS - 2})
    INSERT INTO unproxied_usage SELECT workspace, day - n.i * ${DAY_MS}, connection, provider, model, calls, uncounted_records, cost,
      input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, unpriced_calls, unpriced_uses, covered_total,
      covered_unproxied, covered_unknown FROM n CROSS JOIN (SELECT * FROM unproxied_usage)`);
  for (const days of [30, 365, DAYS]) {
    const range = { start: NEWEST - days * DAY_MS, end: NEWEST };
    await measure(`${days} days of what did not pass, by model`, () => unproxiedUsage.sums('ws_1', range));
    await measure(`${days} days of coverage`, () => unproxiedUsage.coverage('ws_1', range));
  }
}

const rates = {
  input: 3_000_000,
  cacheRead: 300_000,
  cacheWrite5m: 3_750_000,
  cacheWrite1h: 6_000_000,
  output: 15_000_000,
};
const CARD: RateCard = {
  provider: 'anthropic',
  model: 'model',
  from: null,
  until: null,
  tiers: [{ above: -1, rates }],
  speeds: {},
  tierMultipliers: {},
  geoMultipliers: {},
  fees: { webSearch: 10_000_000_000 },
  contextWindow: null,
  version: 'bench#1',
  source: 'bench',
};
const rows: string[][] = [];

async function measure(name: string, work: () => unknown): Promise<void> {
  const ms: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    ms.push((user + system) / 1_000);
  }
  rows.push([name, `${median(ms).toFixed(1)} ms`]);
}

await keep([dayOf(NEWEST - (DAYS - 1) * DAY_MS, 0)]);
fill();
let more = 0;
const computing = [0, 1, 2].map((ago) => NEWEST - ago * DAY_MS);
await measure('a new day', () => keep([dayOf(NEWEST + (more += 1) * DAY_MS, more)]));
await measure('the three days that may change, changed', () => {
  more += 1;
  return keep(computing.map((day) => dayOf(day, more)));
});
await measure('the same, as they were', () => keep(computing.map((day) => dayOf(day, more))));
await fillGatewayUsage();
for (const days of [1, 7, 31]) {
  const each = async (read: (day: { start: number; end: number }) => Promise<unknown>): Promise<void> => {
    for (let start = NEWEST - days * DAY_MS; start < NEWEST; start += DAY_MS)
      await read({ start, end: start + DAY_MS });
  };
  const cells = (day: { start: number; end: number }) => providerReports.cells('ak_1', day);
  const uses = (day: { start: number; end: number }) => reports.keyUses('ws_1', day);
  await measure(`${days} days of reports by key and model`, () => each(cells));
  await measure(`${days} days of the gateway by key, model and terms`, () => each(uses));
  await measure(`the two together: what comparing ${days} days asks of the store`, async () => {
    await each(cells);
    await each(uses);
  });
}
await compute30Days();
await measureComparison();
await close();

/** What the comparison of 31 days takes when it was read, and how long others wait for it at most. Days are let go, as for an answer. */
async function measureComparison(): Promise<void> {
  const matches = new Map<string, KeyMatch>();
  for (let key = 0; key < KEYS; key += 1) matches.set(`apikey_${key}`, { is: 'one', heldIds: [`key_${key}`] });
  const terms = { matches, nameOf: (model: string) => model, resolve: () => CARD };
  const stretches: number[] = [];
  const whole: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const collected = new ReconciliationTotals();
    const first = stretches.length;
    for (let day = NEWEST - 31 * DAY_MS; day < NEWEST; day += DAY_MS) {
      const range = { start: day, end: day + DAY_MS };
      const reported = await providerReports.cells('ak_1', range);
      const gateway = (await reports.keyUses('ws_1', range)).map((use) => Object.assign(use, { heldId: use.keyId }));
      const steps = reconcileInSteps({ day, isClosed: true, reported, proxied: gateway, costs: [] }, terms);
      for (let isOver = false; !isOver;) {
        const before = process.cpuUsage();
        const step = steps.next();
        if (step.done) collected.add(step.value);
        isOver = step.done === true;
        const { user, system } = process.cpuUsage(before);
        stretches.push((user + system) / 1_000);
        await setImmediate();
      }
    }
    whole.push(stretches.slice(first).reduce((sum, ms) => sum + ms, 0));
  }
  rows.push(['31 days compared', `${median(whole).toFixed(1)} ms`]);
  stretches.sort((a, b) => a - b);
  for (const part of [0.5, 0.99, 1])
    rows.push([
      `in one go, of that: ${part * 100} % take no longer than`,
      `${stretches[Math.ceil(part * stretches.length) - 1]?.toFixed(1)} ms`,
    ]);
}

const count = DAYS * KEYS * MODELS;
process.stdout.write(`${machine()}\n${count} rows, ${Math.round(statSync(file).size / 1e6)} MB\n`);
process.stdout.write(`${table(['', 'CPU'], rows)}\n`);
