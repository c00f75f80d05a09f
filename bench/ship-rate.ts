// How fast ended calls move from the journal into the store: `node bench/ship-rate.ts [--calls 200000] [--write]`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createShipper } from '../src/ledger/ship.ts';
import { LIMITS } from '../src/config.ts';
import { demoHistory } from '../src/demo/history.ts';
import { TEAMS } from '../src/demo/teams.ts';
import { openJournalReader } from '../src/journal/journal-reader.ts';
import type { Journal } from '../src/journal/journal.ts';
import { openJournal } from '../src/journal/open-journal.ts';
import { systemClock } from '../src/lib/clock.ts';
import { createPriceBook } from '../src/prices/price-book.ts';
import { openEngine } from '../src/storage/open.ts';
import { machine, writeIntoPage } from './page.ts';

const { values: options } = parseArgs({
  options: { calls: { type: 'string', default: '200000' }, write: { type: 'boolean', default: false } },
});

const CALLS_PER_TURN = 200;

const folder = await mkdtemp(join(tmpdir(), 'tollbook-ship-'));
try {
  const journalFolder = join(folder, 'journal');
  const journal = openJournal({ folder: journalFolder, sync: 'normal', clock: systemClock, onProblem: fail });
  journal.shipped(0);
  const calls = Number(options.calls);
  await fill(journal, calls);
  const { seconds, cpuSeconds } = await ship(journalFolder, calls);
  journal.close();
  const rate = (count: number) => Math.round(count).toLocaleString('en');
  const text = `Journal to ledger: ${rate(calls / seconds)} calls a second (${rate(calls / cpuSeconds)} per second of CPU), ${rate(calls)} calls with three tags; ${machine()}.`;
  process.stdout.write(`${text}\n`);
  if (options.write) writeIntoPage('ship-rate', text);
} finally {
  await rm(folder, { recursive: true, force: true });
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

function entries() {
  const prices = createPriceBook();
  return demoHistory({
    workspaceId: 'ws_default',
    keyIds: new Map(TEAMS.map(({ name }) => [name, `key of ${name}`])),
    now: Date.now(),
    random: Math.random,
    resolvePrice: (provider, model, at) => prices.resolve('ws_default', provider, model, at),
  });
}

async function ship(journalFolder: string, count: number): Promise<{ seconds: number; cpuSeconds: number }> {
  const engine = await openEngine({ databaseUrl: null, file: join(folder, 'ledger.db'), synchronous: 'normal' });
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
  const began = performance.now();
  await shipper.start();
  await done;
  const seconds = (performance.now() - began) / 1_000;
  const { user, system } = process.cpuUsage(before);
  await shipper.close(AbortSignal.timeout(1_000));
  reader.close();
  await engine.close();
  return { seconds, cpuSeconds: (user + system) / 1e6 };
}

function fail(problem: unknown): never {
  throw new Error(String(problem));
}
