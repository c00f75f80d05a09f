// How long reports take on a large book: `node bench/reports.ts --entries 1000000,10000000 [--dir /tmp] [--write]`.
// Fills a ledger through its own append (90 days, 5 providers, 50 models, 200 keys, 3 tags of 10 values), then asks.
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openEngine } from '../src/storage/open.ts';
import type { LedgerStore } from '../src/storage/store.ts';
import { BATCH_ENTRIES, bigBook, random, WORKSPACE } from './large-ledger.ts';
import { machine, median, table, writeIntoPage } from './page.ts';
import { HOUR_MS } from '../src/domain/time/units.ts';
import type { Period } from '../src/domain/time/period.ts';

const { values: flags } = parseArgs({
  options: {
    entries: { type: 'string', default: '1000000' },
    dir: { type: 'string', default: join(tmpdir(), 'tollbook-bench') },
    write: { type: 'boolean', default: false },
  },
});

const ROUNDS = 60;
const FIRST = Date.UTC(2026, 0, 1);

/** Entries per second, and the memory after a tenth and at the end: it must not grow with the ledger. */
async function fill(store: LedgerStore, count: number): Promise<{ perSecond: number; liveBytes: [number, number] }> {
  let [spentMs, early] = [0, 0];
  for (const batch of bigBook(count, FIRST)) {
    const begin = performance.now();
    await store.entries.append(batch);
    spentMs += performance.now() - begin;
    if (early === 0 && batch.mark >= count / 10) early = liveBytes();
  }
  return { perSecond: count / (spentMs / 1_000), liveBytes: [early, liveBytes()] };
}

/** Memory in use after a collection: resident memory also holds the garbage of making entries. */
function liveBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

interface Timing {
  readonly medianMs: number;
  readonly p95Ms: number;
  /** CPU time: what it costs on a machine that is busy with something else too. */
  readonly cpuMs: number;
}

/** Times a report over 30 days that begin at another instant each round. */
async function time(ask: (range: Period) => Promise<unknown>, stepMs: number): Promise<Timing> {
  const taken: number[] = [];
  const cpu: number[] = [];
  for (let round = -5; round < ROUNDS; round += 1) {
    const first = FIRST + random(60 * 24) * HOUR_MS;
    const start = stepMs === HOUR_MS ? first : first + random(HOUR_MS);
    const end = start + 30 * 24 * HOUR_MS - (stepMs === HOUR_MS ? random(24) * HOUR_MS : random(24 * HOUR_MS));
    const [begin, used] = [performance.now(), process.cpuUsage()];
    await ask({ start, end });
    const { user, system } = process.cpuUsage(used);
    if (round < 0) continue;
    taken.push(performance.now() - begin);
    cpu.push((user + system) / 1_000);
  }
  const sorted = taken.toSorted((a, b) => a - b);
  return {
    medianMs: median(sorted),
    p95Ms: sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN,
    cpuMs: median(cpu),
  };
}

async function measure(count: number): Promise<string[][]> {
  const file = join(flags.dir, `book-${count}.db`);
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
  const filling = await openEngine({ databaseUrl: null, file, synchronous: 'normal' });
  const { perSecond, liveBytes: live } = await fill(filling.store, count);
  await filling.close();
  const engine = await openEngine({ databaseUrl: null, file, synchronous: 'normal' });
  const { reports } = engine.store;
  const questions: [string, (range: Period) => Promise<unknown>][] = [
    ['summary', (range) => reports.summary(WORKSPACE, range)],
    ['by-tag', (range) => reports.byTag(WORKSPACE, 'team', range)],
  ];
  const rows: string[][] = [];
  for (const [name, ask] of questions)
    for (const [bounds, stepMs] of [
      ['whole-hour', HOUR_MS],
      ['arbitrary', 1],
    ] as const) {
      const { medianMs, p95Ms, cpuMs } = await time(ask, stepMs);
      const cells = [medianMs, p95Ms, cpuMs].map((ms) => `${ms.toFixed(1)} ms`);
      rows.push([`${name}, ${bounds} bounds`, millions(count), ...cells]);
    }
  await engine.close();
  const [early, late] = live.map((bytes) => `${(bytes / 2 ** 20).toFixed(1)} MB`);
  rows.push(['append, entries a second', millions(count), Math.round(perSecond).toLocaleString('en'), '', '']);
  rows.push(['file', millions(count), `${Math.round(statSync(file).size / 2 ** 20)} MB`, '', '']);
  rows.push(['heap after a tenth and at the end', millions(count), early ?? '', late ?? '', '']);
  return rows;
}

function millions(count: number): string {
  return `${count / 1_000_000} M`;
}

mkdirSync(flags.dir, { recursive: true });
const rows: string[][] = [];
for (const count of flags.entries.split(',').map(Number)) rows.push(...(await measure(count)));
const text = [
  table(['30 days of a 90-day ledger', 'entries', 'median', 'p95', 'CPU'], rows),
  '',
  `${machine()}; one workspace, 50 models of 5 providers, 200 keys, 3 tags of 10 values; appended by ${BATCH_ENTRIES}.`,
].join('\n');
process.stdout.write(`${text}\n`);
if (flags.write) writeIntoPage('reports', text);
