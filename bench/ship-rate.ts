// How fast ended calls move from the journal into the store: `node bench/ship-rate.ts [--calls 200000] [--write]`. With
// `--postgres`, into a PostgreSQL of its own whose commits are on disk. Linux: it reads the server's CPU time from /proc.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { createShipper } from '../src/ledger/ship.ts';
import { LIMITS } from '../src/config.ts';
import type { Entry } from '../src/domain/usage/call.ts';
import { isRefused } from '../src/domain/usage/refused-call.ts';
import { demoHistory } from '../src/demo/history.ts';
import { TEAMS } from '../src/demo/teams.ts';
import { openJournalReader } from '../src/journal/journal-reader.ts';
import type { Journal } from '../src/journal/journal.ts';
import { openJournal } from '../src/journal/open-journal.ts';
import { systemClock } from '../src/lib/clock.ts';
import { createPriceBook } from '../src/prices/price-book.ts';
import { openEngine } from '../src/storage/open.ts';
import { startPostgres } from '../test/support/postgres-server.ts';
import { machine, writeIntoPage } from './page.ts';

const { values: options } = parseArgs({
  options: {
    calls: { type: 'string', default: '200000' },
    postgres: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});

const CALLS_PER_TURN = 200;
const TICKS_PER_SECOND = 100;

const server = options.postgres ? await startPostgres({ fsync: 'on', full_page_writes: 'on' }) : null;
const folder = await mkdtemp(join(tmpdir(), 'tollbook-ship-'));
try {
  const journalFolder = join(folder, 'journal');
  const journal = openJournal({ folder: journalFolder, sync: 'normal', clock: systemClock, onProblem: fail });
  journal.shipped(0);
  const calls = Number(options.calls);
  await fill(journal, calls);
  const { seconds, cpuSeconds, serverCpuSeconds } = await ship(journalFolder, calls);
  journal.close();
  const rate = (count: number) => Math.round(count).toLocaleString('en');
  const into = server ? `PostgreSQL (${rate(calls / serverCpuSeconds)} per second of the server's CPU)` : 'SQLite';
  const text = `Journal to ${into}: ${rate(calls / seconds)} calls a second (${rate(calls / cpuSeconds)} per second of CPU), ${rate(calls)} calls with three tags; ${machine()}.`;
  process.stdout.write(`${text}\n`);
  if (options.write && server) writeIntoPage('ship-rate-postgres', text);
  if (options.write && !server) writeIntoPage('ship-rate', text);
} finally {
  await rm(folder, { recursive: true, force: true });
  await server?.stop();
}

/** Begins and ends made-up calls, many in each turn, as under load. */
async function fill(journal: Journal, count: number): Promise<void> {
  let written = 0;
  while (written < count) {
    const ended: Promise<void>[] = [];
    for (const entry of entries()) {
      const begun = journal.begin({ ...entry, callId: `${entry.callId}-${written}` }, (error) => error && fail(error));
      ended.push(
        new Promise((resolve, reject) => {
          journal.end(begun, { ...entry, callId: begun.callId }, (error) => (error ? reject(error) : resolve()));
        }),
      );
      written += 1;
      if (ended.length === CALLS_PER_TURN) await Promise.all(ended.splice(0));
      if (written === count) break;
    }
    await Promise.all(ended);
  }
}

function* entries(): Generator<Entry> {
  const prices = createPriceBook();
  const calls = demoHistory({
    workspaceId: 'ws_default',
    keyIds: new Map(TEAMS.map(({ name }) => [name, `key of ${name}`])),
    sessionLimit: null,
    now: Date.now(),
    random: Math.random,
    resolvePrice: (provider, model, at) => prices.resolve('ws_default', provider, model, at),
  });
  for (const call of calls) if (!isRefused(call)) yield call;
}

interface ShipCost {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly serverCpuSeconds: number;
}

async function ship(journalFolder: string, count: number): Promise<ShipCost> {
  const file = join(folder, 'ledger.db');
  const engine = await openEngine({ databaseUrl: server?.url ?? null, file, synchronous: 'normal' });
  await engine.prepareMonths?.(Date.now());
  const reader = openJournalReader(journalFolder);
  let shippedAll: () => void = () => {};
  const done = new Promise<void>((resolve) => (shippedAll = resolve));
  const shipper = createShipper({
    reader,
    store: engine.store.entries,
    batchEntriesMax: LIMITS.shipBatchEntriesMax,
    retryMs: LIMITS.shipRetryMs,
    onShipped: (mark) => mark >= count && shippedAll(),
    onProblem: (problem) => problem !== null && fail(problem),
    onMissing: (calls) => fail(`${calls} calls are missing`),
  });
  const before = process.cpuUsage();
  const serverBefore = await readServerCpu();
  const began = performance.now();
  await shipper.start();
  await done;
  const seconds = (performance.now() - began) / 1_000;
  const { user, system } = process.cpuUsage(before);
  const ofServer = (await readServerCpu()) - serverBefore;
  await shipper.close(AbortSignal.timeout(1_000));
  reader.close();
  await engine.close();
  return { seconds, cpuSeconds: (user + system) / 1e6, serverCpuSeconds: ofServer };
}

/** Returns the CPU time that the server's processes have used: those of connections, and its own for writing. */
async function readServerCpu(): Promise<number> {
  if (!server) return 0;
  const client = new Client(server.url);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pid FROM pg_stat_activity');
  await client.end();
  return rows.reduce((sum, { pid }) => sum + readCpuTicks(pid) / TICKS_PER_SECOND, 0);
}

/** Returns the ticks of a process in user and system mode; 0 = it has ended. */
function readCpuTicks(pid: number): number {
  try {
    const columns = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(columns[11]) + Number(columns[12]);
  } catch {
    return 0;
  }
}

function fail(problem: unknown): never {
  throw new Error(String(problem));
}
