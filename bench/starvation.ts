// What others feel of one client that takes all it can get: `node bench/starvation.ts [--rounds 5] [--seconds 4] [--write]`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Attack, type AttackKind, type AttackResult, ATTACKS } from './attack.ts';
import { benchFile, Child } from './child.ts';
import type { Load, LoadResult } from './load.ts';
import { machine, median, table, writeIntoPage } from './page.ts';
import { createService, createWrappedKey, setLimit, startService, startUpstream } from './targets.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    only: { type: 'string', default: ATTACKS.join(',') },
    write: { type: 'boolean', default: false },
  },
});

const CALLS_PER_SECOND = 200;
const SETTLE_MS = 1_500;
const NAMES: Readonly<Record<AttackKind, string>> = {
  bodies: '8 bodies of 32 MiB that stall',
  headers: '11,000 half headers',
  streams: '1,000 endless streams, a comment every 200 ms each',
  bombs: '20 brotli bombs at a time, one after the other',
  refusals: '30 connections, 30 refused calls in new sessions at a time',
};
const body = JSON.stringify({
  model: 'claude-sonnet-4-5',
  max_tokens: 1_000,
  messages: [{ role: 'user', content: 'A question of about nine hundred letters. '.repeat(22) }],
});

interface Sample extends LoadResult {
  /** Against the quiet time of the same round. */
  readonly p50Times: number;
  readonly p99Times: number;
  readonly rssBytes: number;
  readonly cpuShare: number;
  readonly attack: AttackResult;
}

const kinds = ATTACKS.filter((kind) => options.only.split(',').includes(kind));
const folder = await mkdtemp(join(tmpdir(), 'tollbook-starvation-'));
const load = new Child(benchFile('load.ts'));
const attacker = new Child(benchFile('attack.ts'));
const upstream = await startUpstream();
const service = await createService(upstream, folder);
const otherKey = await createWrappedKey(service, 'attacker');
const refusedKey = await createWrappedKey(service, 'refused');
await setLimit(service, ['--each', 'session', '--amount', '1000']);
await setLimit(service, ['--each', 'session', '--amount', '0.000001', '--key', 'refused']);
const target = startService(service);
const quiet: LoadResult[] = [];
const samples = new Map<AttackKind, Sample[]>(kinds.map((kind) => [kind, []]));
try {
  await target.child.listening(target.port);
  for (let warmUp = 0; warmUp < 3; warmUp += 1) await calls();
  const { rssBytes: before } = await target.child.usage();
  for (let round = 0; round < Number(options.rounds); round += 1) await measureRound(round);
  await pause(SETTLE_MS);
  const { rssBytes: after } = await target.child.usage();
  const text = report(before, after);
  process.stdout.write(`${text}\n`);
  if (options.write) writeIntoPage('starvation', text);
} finally {
  await Promise.all([load.stop(), attacker.stop(), target.child.stop(), upstream.child.stop()]);
  await rm(folder, { recursive: true, force: true });
}

/** A quiet time before each attack is what it is held against. */
async function measureRound(round: number): Promise<void> {
  for (let step = 0; step < kinds.length; step += 1) {
    const kind = kinds[(round + step) % kinds.length];
    if (!kind) continue;
    const alone = await calls();
    quiet.push(alone);
    samples.get(kind)?.push(await under(kind, alone));
    await pause(SETTLE_MS);
  }
}

async function under(kind: AttackKind, alone: LoadResult): Promise<Sample> {
  const { port, path, headers } = target;
  const key = kind === 'refusals' ? refusedKey : otherKey;
  const ask: Attack = { kind, port, path, headers: { ...headers, 'x-api-key': key } };
  await attacker.ask(ask);
  const before = await target.child.usage();
  const result = await calls();
  const { cpuMicros, rssBytes } = await target.child.usage();
  const attack = await attacker.ask<AttackResult>('stop');
  process.stderr.write(`${kind} ${JSON.stringify({ ...result, quiet: alone.p99Micros, ...attack })}\n`);
  return {
    ...result,
    p50Times: result.p50Micros / alone.p50Micros,
    p99Times: result.p99Micros / alone.p99Micros,
    rssBytes,
    cpuShare: (cpuMicros - before.cpuMicros) / 1_000_000 / Number(options.seconds),
    attack,
  };
}

function calls(): Promise<LoadResult> {
  const { port, path, headers, keys } = target;
  const shape = { connections: 16, milliseconds: Number(options.seconds) * 1_000, callsPerSecond: CALLS_PER_SECOND };
  return load.ask<LoadResult>({ port, path, headers, keys, body, ...shape } satisfies Load);
}

function report(before: number, after: number): string {
  const rows = kinds.map((kind) => rowOf(kind, samples.get(kind) ?? []));
  const own = (field: 'p50Micros' | 'p99Micros') => `${(median(quiet.map((one) => one[field])) / 1_000).toFixed(2)} ms`;
  return [
    table(
      [`${CALLS_PER_SECOND} calls a second of another key too`, 'answered', 'median', '÷', 'p99', '÷', 'CPU', 'memory'],
      [['nothing', share(quiet), own('p50Micros'), '', own('p99Micros'), '', '', megabytes(before)], ...rows],
    ),
    `Afterwards the service holds ${megabytes(after)}. Medians of ${options.rounds} rounds, each held against a quiet time just before it; CPU in cores; ${machine()}, which also carry load, attack and provider.`,
  ].join('\n\n');
}

function rowOf(kind: AttackKind, own: readonly Sample[]): string[] {
  const of = (read: (sample: Sample) => number) => median(own.map(read));
  return [
    NAMES[kind],
    share(own),
    `${(of(({ p50Micros }) => p50Micros) / 1_000).toFixed(2)} ms`,
    of(({ p50Times }) => p50Times).toFixed(2),
    `${(of(({ p99Micros }) => p99Micros) / 1_000).toFixed(2)} ms`,
    of(({ p99Times }) => p99Times).toFixed(2),
    of(({ cpuShare }) => cpuShare).toFixed(2),
    megabytes(of(({ rssBytes }) => rssBytes)),
  ];
}

function share(results: readonly LoadResult[]): string {
  const calledTotal = results.reduce((sum, { calls: count }) => sum + count, 0);
  const failed = results.reduce((sum, { failures }) => sum + failures, 0);
  return `${(((calledTotal - failed) / calledTotal) * 100).toFixed(failed === 0 ? 0 : 2)} %`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
