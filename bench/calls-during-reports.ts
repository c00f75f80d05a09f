// What proxied calls feel of reports, twenty a second and without a pause, with a ledger thread at the priority of the gateway and at a
// lower one: `node bench/calls-during-reports.ts [--entries 1000000] [--write]`. Raising a priority needs root.
import { mkdtemp, rm } from 'node:fs/promises';
import { getPriority, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openEngine } from '../src/storage/open.ts';
import { bigBook, DAYS } from './large-ledger.ts';
import { benchFile, Child } from './child.ts';
import type { Load, LoadResult } from './load.ts';
import { machine, median, table, writeIntoPage } from './page.ts';
import { createService, createToken, startService, startUpstream } from './targets.ts';
import { HOUR_MS } from '../src/domain/time/units.ts';

const { values: options } = parseArgs({
  options: {
    entries: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '5' },
    dir: { type: 'string', default: tmpdir() },
    write: { type: 'boolean', default: false },
  },
});

const CALLS_PER_SECOND = 1_000;
interface Setup {
  /** Twenty are as many dashboards that look again each second; Infinity = one after the other without a pause. */
  readonly reportsPerSecond: number;
  /** Steps of `nice` that the ledger thread is below the gateway. */
  readonly lowerBy: number;
}

const LOWER_BY = 5;
const SETUPS: readonly Setup[] = [
  { reportsPerSecond: 0, lowerBy: LOWER_BY },
  { reportsPerSecond: 20, lowerBy: 0 },
  { reportsPerSecond: 20, lowerBy: LOWER_BY },
  { reportsPerSecond: Infinity, lowerBy: 0 },
  { reportsPerSecond: Infinity, lowerBy: LOWER_BY },
];
const REPORTS = ['/api/mcp/usage/summary', '/api/mcp/usage/by-tag?tagKey=team'];
const body = JSON.stringify({
  model: 'claude-sonnet-4-5',
  max_tokens: 1_000,
  messages: [{ role: 'user', content: 'A question of about nine hundred letters. '.repeat(22) }],
});

interface Sample extends LoadResult {
  readonly reports: number;
}

const folder = await mkdtemp(join(options.dir, 'tollbook-parallel-'));
const load = new Child(benchFile('load.ts'));
const upstream = await startUpstream();
const service = await createService(upstream, folder);
const token = await createToken(service);
await fillLedger(join(service.env.SVC_DATA_DIR, 'ledger.db'));
const target = startService(service);
let asked = 0;
try {
  await target.child.listening(target.port);
  const ledger = await lowerThread();
  const samples: Sample[][] = SETUPS.map(() => []);
  // The first round compiles.
  for (let round = -1; round < Number(options.rounds); round += 1)
    for (const [index, setup] of SETUPS.entries()) {
      setPriority(ledger, getPriority() + setup.lowerBy);
      const sample = await calls(setup.reportsPerSecond);
      if (round >= 0) samples[index]?.push(sample);
    }
  const text = report(samples);
  process.stdout.write(`${text}\n`);
  if (options.write) writeIntoPage('calls-during-reports', text);
} finally {
  await Promise.all([load.stop(), target.child.stop(), upstream.child.stop()]);
  await rm(folder, { recursive: true, force: true });
}

/** Returns the thread that gives way to the others, once the service is ready. */
async function lowerThread(): Promise<number> {
  for (;;) {
    const thread = target.child.threads().find((id) => getPriority(id) > getPriority());
    if (thread !== undefined) return thread;
    await setTimeout(100);
  }
}

async function fillLedger(file: string): Promise<void> {
  const engine = await openEngine({ databaseUrl: null, file, synchronous: 'normal' });
  const first = Math.floor(Date.now() / HOUR_MS - DAYS * 24) * HOUR_MS;
  for (const batch of bigBook(Number(options.entries), first)) await engine.store.entries.append(batch);
  await engine.close();
}

async function calls(reportsPerSecond: number): Promise<Sample> {
  const { port, path, headers, keys } = target;
  const shape = { connections: 32, milliseconds: Number(options.seconds) * 1_000, callsPerSecond: CALLS_PER_SECOND };
  const ask: Load = { port, path, headers, keys, body, ...shape };
  let running = reportsPerSecond > 0;
  const before = asked;
  const asking = askReports(1_000 / reportsPerSecond, () => running);
  const result = await load.ask<LoadResult>(ask);
  running = false;
  await asking;
  if (result.failures > 0) throw new Error(`${result.failures} of ${result.calls} calls failed.`);
  return { ...result, reports: asked - before };
}

/** One after the other, each at its time or as soon as the one before has come. */
async function askReports(everyMs: number, running: () => boolean): Promise<void> {
  for (let due = performance.now(); running(); due += everyMs) {
    const path = REPORTS[asked % REPORTS.length] ?? '';
    const answer = await fetch(`http://127.0.0.1:${target.port}${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    if (!answer.ok) throw new Error(`A report was refused: ${await answer.text()}`);
    await answer.arrayBuffer();
    asked += 1;
    const early = due + everyMs - performance.now();
    if (early > 0) await setTimeout(early);
  }
}

function report(samples: readonly Sample[][]): string {
  const [alone = []] = samples;
  const rows = samples.map((some, index) => {
    const setup = SETUPS[index];
    const perSecond = Math.round(median(some.map(({ reports }) => reports)) / Number(options.seconds));
    const priority = setup?.lowerBy === 0 ? ', ledger not lower' : '';
    const name = perSecond === 0 ? 'no report' : `${perSecond} reports a second${priority}`;
    return [name, ...cells(some, alone, 'p50Micros'), ...cells(some, alone, 'p99Micros')];
  });
  return [
    table([`${CALLS_PER_SECOND.toLocaleString('en')} calls a second in parallel`, 'median', '÷', 'p99', '÷'], rows),
    `Over ${Number(options.entries).toLocaleString('en')} entries, the last two rows without a pause; medians of ${options.rounds} interleaved rounds; ${machine()}.`,
  ].join('\n\n');
}

type Field = 'p50Micros' | 'p99Micros';

function cells(samples: readonly Sample[], alone: readonly Sample[], field: Field): string[] {
  const ratios = samples.map((sample, round) => sample[field] / (alone[round]?.[field] ?? Number.NaN));
  return [showMs(samples, field), median(ratios).toFixed(2)];
}

function showMs(samples: readonly Sample[], field: Field): string {
  return `${(median(samples.map((sample) => sample[field])) / 1_000).toFixed(2)} ms`;
}
