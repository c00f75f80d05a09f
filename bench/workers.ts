// What workers cost and bring: `npx node bench/workers.ts [--workers 2] [--rounds 9] [--write]`. One worker and several take turns
// in pairs, under a limit that all calls count for. Linux: it reads CPU times from /proc.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchFile, Child } from './child.ts';
import type { Load, LoadResult } from './load.ts';
import { machine, median, table, writeIntoPage } from './page.ts';
import { createService, setLimit, startService, startUpstream, type Target } from './targets.ts';

const { values: options } = parseArgs({
  options: {
    workers: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '9' },
    write: { type: 'boolean', default: false },
  },
});

const CONNECTIONS = 32;
const ROUND_MS = 2_000;
/** Well below what one worker can do. */
const STEADY_PER_SECOND = 300;
const LIMIT = ['--unit', 'calls', '--amount', '1000000000', '--window', 'total'];

const request = { model: 'claude-sonnet-4-5', max_tokens: 1_000, messages: [{ role: 'user', content: 'Hello' }] };

interface RoundFigures {
  readonly callsPerSecond: number;
  readonly cpuMicrosPerCall: number;
}

const folder = await mkdtemp(join(tmpdir(), 'tollbook-workers-'));
const load = new Child(benchFile('load.ts'));
const upstream = await startUpstream();
const [one, several] = [await start('1'), await start(options.workers)];
try {
  const rows = [await measure('300 calls a second', STEADY_PER_SECOND), await measure('as many as possible', null)];
  const text = [
    table([`${options.workers} workers ÷ one process`, 'calls a second', 'CPU per call'], rows),
    `Medians of ${options.rounds} pairs of two seconds, ${CONNECTIONS} connections, one limit; ${machine()}.`,
  ].join('\n\n');
  process.stdout.write(`${text}\n`);
  if (options.write) writeIntoPage('workers', text);
} finally {
  await Promise.all([load, one.child, several.child, upstream.child].map((child) => child.stop()));
  await rm(folder, { recursive: true, force: true });
}

async function start(workers: string): Promise<Target> {
  const service = await createService(upstream, join(folder, workers));
  await setLimit(service, LIMIT);
  const target = startService({ ...service, env: { ...service.env, SVC_WORKERS: workers } });
  await target.child.listening(target.port);
  await play(target, null);
  return target;
}

async function measure(name: string, callsPerSecond: number | null): Promise<string[]> {
  const pairs: [RoundFigures, RoundFigures][] = [];
  for (let round = 0; round < Number(options.rounds); round += 1)
    pairs.push([await play(one, callsPerSecond), await play(several, callsPerSecond)]);
  const ratio = (figure: keyof RoundFigures): string =>
    median(pairs.map(([alone, shared]) => shared[figure] / alone[figure])).toFixed(2);
  return [name, ratio('callsPerSecond'), ratio('cpuMicrosPerCall')];
}

async function play(
  { port, path, headers, keys, child }: Target,
  callsPerSecond: number | null,
): Promise<RoundFigures> {
  const before = child.cpuMicrosOfAll();
  const shape = { connections: CONNECTIONS, milliseconds: ROUND_MS, callsPerSecond };
  const ask: Load = { port, path, headers, keys, body: JSON.stringify(request), ...shape };
  const { calls, failures } = await load.ask<LoadResult>(ask);
  if (failures > 0) throw new Error(`${failures} of ${calls} calls failed.`);
  return { callsPerSecond: (calls * 1_000) / ROUND_MS, cpuMicrosPerCall: (child.cpuMicrosOfAll() - before) / calls };
}
