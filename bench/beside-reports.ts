// What proxied calls feel of reports that run without a pause: `node bench/beside-reports.ts [--entries 1000000] [--write]`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openEngine } from '../src/storage/open.ts';
import { bigBook, DAYS, HOUR_MS } from './big-book.ts';
import { benchFile, Child } from './child.ts';
import type { Load, LoadResult } from './load.ts';
import { machine, median, table, writeIntoReadme } from './readme.ts';
import { createService, createToken, startService, startUpstream } from './targets.ts';

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
const REPORTS = ['/api/mcp/usage/summary', '/api/mcp/usage/by-tag?tagKey=team'];
const body = JSON.stringify({
  model: 'claude-sonnet-4-5',
  max_tokens: 1_000,
  messages: [{ role: 'user', content: 'A question of about nine hundred letters. '.repeat(22) }],
});

interface Round {
  readonly alone: LoadResult;
  readonly beside: LoadResult;
}

const folder = await mkdtemp(join(options.dir, 'tollbook-beside-'));
const load = new Child(benchFile('load.ts'));
const upstream = await startUpstream();
const service = await createService(upstream, folder);
const token = await createToken(service);
await fillBook(join(service.env.SVC_DATA_DIR, 'book.db'));
const target = startService(service);
let reports = 0;
try {
  await target.child.listening(target.port);
  // The first seconds compile.
  for (const beside of [false, true]) await calls(beside);
  reports = 0;
  const rounds: Round[] = [];
  for (let round = 0; round < Number(options.rounds); round += 1) {
    const first = await calls(round % 2 === 1);
    const second = await calls(round % 2 === 0);
    rounds.push(round % 2 === 1 ? { alone: second, beside: first } : { alone: first, beside: second });
  }
  const text = report(rounds);
  process.stdout.write(`${text}\n`);
  if (options.write) writeIntoReadme('beside-reports', text);
} finally {
  await Promise.all([load.stop(), target.child.stop(), upstream.child.stop()]);
  await rm(folder, { recursive: true, force: true });
}

async function fillBook(file: string): Promise<void> {
  const engine = await openEngine({ databaseUrl: null, file, synchronous: 'normal' });
  const first = Math.floor(Date.now() / HOUR_MS - DAYS * 24) * HOUR_MS;
  for (const batch of bigBook(Number(options.entries), first)) await engine.store.entries.append(batch);
  await engine.close();
}

async function calls(besideReports: boolean): Promise<LoadResult> {
  const { port, path, headers, keys } = target;
  const shape = { connections: 32, milliseconds: Number(options.seconds) * 1_000, callsPerSecond: CALLS_PER_SECOND };
  const ask: Load = { port, path, headers, keys, body, ...shape };
  let running = besideReports;
  const asking = askReports(() => running);
  const result = await load.ask<LoadResult>(ask);
  running = false;
  await asking;
  if (result.failures > 0) throw new Error(`${result.failures} of ${result.calls} calls failed.`);
  return result;
}

/** One after the other: the book is never without one. */
async function askReports(running: () => boolean): Promise<void> {
  while (running()) {
    const path = REPORTS[reports % REPORTS.length] ?? '';
    const answer = await fetch(`http://127.0.0.1:${target.port}${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    if (!answer.ok) throw new Error(`A report was refused: ${await answer.text()}`);
    await answer.arrayBuffer();
    reports += 1;
  }
}

function report(rounds: readonly Round[]): string {
  const perSecond = Math.round(reports / (rounds.length * Number(options.seconds)));
  return [
    table(
      ['proxied calls', 'without reports', 'while reports run', '÷'],
      [row('median', rounds, 'p50Micros'), row('p99', rounds, 'p99Micros')],
    ),
    `${CALLS_PER_SECOND.toLocaleString('en')} calls and ${perSecond} reports a second over ${Number(options.entries).toLocaleString('en')} entries; medians of ${rounds.length} interleaved rounds; ${machine()}.`,
  ].join('\n\n');
}

function row(name: string, rounds: readonly Round[], field: 'p50Micros' | 'p99Micros'): string[] {
  const [alone, beside] = [rounds.map((round) => round.alone[field]), rounds.map((round) => round.beside[field])];
  const ratio = median(beside.map((micros, index) => micros / (alone[index] ?? Number.NaN)));
  return [name, showMs(median(alone)), showMs(median(beside)), ratio.toFixed(2)];
}

function showMs(micros: number): string {
  return `${(micros / 1_000).toFixed(2)} ms`;
}
