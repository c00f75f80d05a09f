// How long reports take on a large ledger in PostgreSQL: `node bench/server-reports.ts --postgres postgres://…`. The
// server is yours; it gets a database for each size, which a later run finds.
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { HOUR_MS } from '../src/domain/time/units.ts';
import type { Period } from '../src/domain/time/period.ts';
import type { StorageEngine } from '../src/storage/engine.ts';
import { openEngine } from '../src/storage/open.ts';
import { DAYS, random, WORKSPACE } from './large-ledger.ts';
import { fillServer } from './large-server.ts';
import { machine, median, table } from './page.ts';

const { values: flags } = parseArgs({
  options: {
    postgres: { type: 'string' },
    /** Millions of calls, and the days whose calls are kept: 100:1 = a hundred million, with those of the last day. */
    sizes: { type: 'string', default: '1:90,10:3,100:1' },
    rounds: { type: 'string', default: '60' },
  },
});

const FIRST = Date.UTC(2026, 0, 1);
const END = FIRST + DAYS * 24 * HOUR_MS;
const MONTH_MS = 30 * 24 * HOUR_MS;
const LOCALE = "TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'";

interface Size {
  readonly millions: number;
  readonly keptDays: number;
  readonly url: string;
}

const QUESTIONS: readonly [string, (engine: StorageEngine, range: Period) => Promise<unknown>][] = [
  ['summary', ({ store }, range) => store.reports.summary(WORKSPACE, range)],
  ['by-tag', ({ store }, range) => store.reports.byTag(WORKSPACE, 'team', range)],
];
/** Thirty days that end in the last one, at a whole hour or anywhere. */
const BOUNDS: readonly [string, () => Period][] = [
  ['whole hours', () => monthBefore(END - random(24) * HOUR_MS)],
  ['to any instant', () => ({ ...monthBefore(END - 24 * HOUR_MS), end: END - random(24 * HOUR_MS) })],
];

function monthBefore(end: number): Period {
  return { start: end - MONTH_MS, end };
}

async function prepare(server: string, text: string): Promise<Size> {
  const [millions = 1, keptDays = DAYS] = text.split(':').map(Number);
  const name = `tollbook_bench_${String(millions).replace('.', '_')}`;
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  const client = new Client(server);
  await client.connect();
  const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
  if (found.rows.length === 0) {
    await client.query(`CREATE DATABASE ${name}_draft ${LOCALE}`);
    const draft = Object.assign(new URL(server), { pathname: `/${name}_draft` }).href;
    const onDay = (day: number): void => void process.stderr.write(`\r${millions} M, day ${day + 1} of ${DAYS} `);
    await fillServer({ url: draft, calls: millions * 1_000_000, keptDays, first: FIRST, onDay });
    await client.query(`ALTER DATABASE ${name}_draft RENAME TO ${name}`);
  }
  await client.end();
  return { millions, keptDays, url };
}

/** Asks all sizes in turn, so that a busy machine is busy for each. Returns the milliseconds of each. */
async function time(
  engines: readonly StorageEngine[],
  ask: (engine: StorageEngine, range: Period) => Promise<unknown>,
  nextRange: () => Period,
) {
  const taken: number[][] = engines.map(() => []);
  for (let round = -5; round < Number(flags.rounds); round += 1) {
    const range = nextRange();
    for (const [index, engine] of engines.entries()) {
      const began = performance.now();
      await ask(engine, range);
      if (round >= 0) taken[index]?.push(performance.now() - began);
    }
  }
  return taken;
}

if (flags.postgres === undefined) throw new Error('Name a server: --postgres postgres://…');
const sizes: Size[] = [];
for (const text of flags.sizes.split(',')) sizes.push(await prepare(flags.postgres, text));
const engines = await Promise.all(
  sizes.map(({ url }) => openEngine({ databaseUrl: url, file: '', synchronous: 'normal' })),
);
const rows: string[][] = [];
for (const [name, ask] of QUESTIONS)
  for (const [bounds, nextRange] of BOUNDS) {
    const taken = await time(engines, ask, nextRange);
    const [first = []] = taken;
    const cells = taken.map((own) => `${median(own).toFixed(1)} ms`);
    const ratios = taken.slice(1).map((own) => median(own.map((ms, index) => ms / (first[index] ?? ms))).toFixed(2));
    rows.push([`${name}, ${bounds}`, ...cells, ...ratios]);
  }
await Promise.all(engines.map((engine) => engine.close()));
const names = sizes.map(({ millions }) => `${millions} M`);
const ratioNames = names.slice(1).map((name) => `${name} ÷ ${names[0]}`);
const text = [
  table(['30 days of a 90-day ledger in PostgreSQL', ...names, ...ratioNames], rows),
  `Medians of ${flags.rounds} rounds, in each of which all sizes are asked the same; ${machine()}.`,
].join('\n\n');
process.stdout.write(`${text}\n`);
