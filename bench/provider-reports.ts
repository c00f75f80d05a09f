// What reports of an organization cost the store: `node bench/provider-reports.ts [--days 3650]`, by default ten years of
// 500 keys with three models. CPU time, the median of seven.
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ReportDay } from '../src/core/provider-report.ts';
import type { ReportState } from '../src/storage/provider-reports.ts';
import { openDatabase } from '../src/storage/sqlite/open-database.ts';
import { openSqliteStore } from '../src/storage/sqlite/sqlite-store.ts';
import { machine, median, table } from './readme.ts';

const { values: flags } = parseArgs({ options: { days: { type: 'string', default: '3650' } } });
const DAYS = Number(flags.days);
const DAY_MS = 86_400_000;
const NEWEST = Date.UTC(2026, 10, 20);
const KEYS = 500;
const MODELS = 3;
const RUNS = 7;

const folder = join(tmpdir(), 'tollbook-bench');
mkdirSync(folder, { recursive: true });
const file = join(folder, 'provider-reports.db');
for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
const { sqlite, close } = await openDatabase(file);
const { providerReports } = openSqliteStore(sqlite);

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
const settling = [0, 1, 2].map((ago) => NEWEST - ago * DAY_MS);
await measure('a new day', () => keep([dayOf(NEWEST + (more += 1) * DAY_MS, more)]));
await measure('the three days that may change, changed', () => {
  more += 1;
  return keep(settling.map((day) => dayOf(day, more)));
});
await measure('the same, as they were', () => keep(settling.map((day) => dayOf(day, more))));
const grouped = sqlite.prepare(`SELECT day, key, model, sum(input), sum(cache_read), sum(cache_write_5m),
  sum(cache_write_1h), sum(output) FROM report_usage
  WHERE connection = (SELECT id FROM names WHERE text = 'ak_1') AND day >= ? AND day < ? GROUP BY day, report, key, model`);
for (const days of [1, 7, 31])
  await measure(`${days} days by key and model`, () => grouped.all(NEWEST - days * DAY_MS, NEWEST));
await close();

const count = DAYS * KEYS * MODELS;
process.stdout.write(`${machine()}\n${count} rows, ${Math.round(statSync(file).size / 1e6)} MB\n`);
process.stdout.write(`${table(['', 'CPU'], rows)}\n`);
