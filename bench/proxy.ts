// `npm run bench`: compares CPU time and latency of a proxied call with a bare proxy and another gateway, in one run.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchFile, Child } from './child.ts';
import type { Load, LoadResult } from './load.ts';
import { machine, median, table, writeIntoPage } from './page.ts';
import {
  GATEWAYS,
  startBare,
  startGateway,
  startPortkey,
  startTollbook,
  startUpstream,
  type Target,
} from './targets.ts';

const CONNECTIONS = 32;
const PACED_CALLS_PER_SECOND = 1_000;
/** A fresh process needs about 30,000 calls until its compiled code, and so its CPU time, stays as it is. */
const WARM_UPS = 3;
const MODES = ['json', 'stream'] as const;
type Mode = (typeof MODES)[number];

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    /** The gateways to measure, in addition to the bare proxy. */
    targets: { type: 'string', default: 'off,normal,full,limits,sessions,few,many,service,rival' },
    write: { type: 'boolean', default: false },
  },
});

const messages = [{ role: 'user', content: 'A question of about nine hundred letters. '.repeat(22) }];
const request = { model: 'claude-sonnet-4-5', max_tokens: 1_000, messages };
const BODIES: Record<Mode, string> = {
  json: JSON.stringify(request),
  stream: JSON.stringify({ ...request, stream: true }),
};

/** One target in one round and mode. */
interface Sample {
  readonly cpuMicros: number;
  readonly p50Micros: number;
  readonly p99Micros: number;
}
/** Samples by mode, one per round; every target's n-th sample is of the same round. */
type Samples = Record<Mode, Sample[]>;

const folder = await mkdtemp(join(tmpdir(), 'tollbook-bench-'));
const load = new Child(benchFile('load.ts'));
const upstream = await startUpstream();
const targets: Target[] = [upstream, await startBare(upstream)];
try {
  await startTargets();
  const samples = await measure();
  const text = report(samples);
  process.stdout.write(`${text}\n`);
  if (options.write) writeIntoPage('proxy', text);
} finally {
  await Promise.all([load.stop(), ...targets.map(({ child }) => child.stop())]);
  await rm(folder, { recursive: true, force: true });
}

async function startTargets(): Promise<void> {
  const wanted = new Set(options.targets.split(','));
  for (const [kind, gateway] of Object.entries(GATEWAYS))
    if (wanted.has(kind)) targets.push(await startGateway(upstream, folder, gateway));
  if (wanted.has('service')) targets.push(await startTollbook(upstream, folder));
  if (wanted.has('rival')) targets.push(await startPortkey(upstream, folder));
}

/** Warms every target up, then measures all of them in each round, beginning with another one each time. */
async function measure(): Promise<Samples[]> {
  const samples = targets.map((): Samples => ({ json: [], stream: [] }));
  for (let warmUp = 0; warmUp < WARM_UPS; warmUp += 1)
    for (const target of targets) for (const mode of MODES) await drive(target, mode, null);
  for (let round = 0; round < Number(options.rounds); round += 1)
    for (const mode of MODES)
      for (let step = 0; step < targets.length; step += 1) {
        const index = (step + round) % targets.length;
        const target = targets[index];
        if (target) samples[index]?.[mode].push(await measureOnce(target, mode));
        process.stderr.write('.');
      }
  process.stderr.write('\n');
  return samples;
}

async function measureOnce(target: Target, mode: Mode): Promise<Sample> {
  const before = await target.child.usage();
  const { calls } = await drive(target, mode, null);
  const after = await target.child.usage();
  const { p50Micros, p99Micros } = await drive(target, mode, PACED_CALLS_PER_SECOND);
  return { cpuMicros: (after.cpuMicros - before.cpuMicros) / calls, p50Micros, p99Micros };
}

async function drive(target: Target, mode: Mode, callsPerSecond: number | null): Promise<LoadResult> {
  const { port, path, headers, keys } = target;
  const milliseconds = Number(options.seconds) * 1_000;
  const body = BODIES[mode];
  const ask: Load = { port, path, headers, keys, body, connections: CONNECTIONS, milliseconds, callsPerSecond };
  const result = await load.ask<LoadResult>(ask);
  if (result.failures > 0)
    throw new Error(`${target.name}: ${result.failures} of ${result.calls} ${mode} calls failed.`);
  return result;
}

function report(samples: readonly Samples[]): string {
  const [direct, bare] = samples;
  if (!direct || !bare) throw new Error('The two references were not measured.');
  const rows = targets.map(({ name }, index) => ({ name, own: samples[index] ?? bare })).slice(1);
  const cpu = rows.map(({ name, own }) => [name].concat(MODES.flatMap((mode) => cpuCells(own[mode], bare[mode]))));
  const latency = rows.map(({ name, own }) =>
    [name].concat(MODES.flatMap((mode) => addedCells(own[mode], direct[mode]))),
  );
  return [
    `CPU time of the whole process per call, ${CONNECTIONS} connections, 1 kB requests; a stream has 20 events:`,
    table(['', 'JSON', '÷ bare', 'stream', '÷ bare'], cpu),
    ...compared(samples),
    `Latency added to a direct call at ${PACED_CALLS_PER_SECOND.toLocaleString('en')} calls a second:`,
    table(['', 'JSON median', 'p99', 'stream median', 'p99'], latency),
    `Medians of ${options.rounds} interleaved rounds on a shared machine: ${machine()}. Repeat it with \`npm run bench\`.`,
  ].join('\n\n');
}

/** Rows next to the row that promises them. */
function compared(samples: readonly Samples[]): string[] {
  const of = (name: string) => samples[targets.findIndex((target) => target.name === name)];
  const [limits, normal, sessions, many, few] = [
    of(GATEWAYS.limits.name),
    of(GATEWAYS.normal.name),
    of(GATEWAYS.sessions.name),
    of(GATEWAYS.many.name),
    of(GATEWAYS.few.name),
  ];
  const sentences: string[] = [];
  if (limits && normal) sentences.push(`Limits on: ${times(limits, normal)} the call without.`);
  if (sessions && limits) sentences.push(`Limits on session and agent: ${times(sessions, limits)} the call without.`);
  if (many && few) sentences.push(`100,000 keys and limits: ${times(many, few)} the call with 10.`);
  return sentences.length > 0 ? [sentences.join(' ')] : [];
}

function times(own: Samples, other: Samples): string {
  const [json, stream] = MODES.map((mode) => ratio(own[mode], other[mode]).toFixed(2));
  return `${json} × (JSON) and ${stream} × (stream)`;
}

/** Of the CPU time, by pairs of one round. */
function ratio(own: readonly Sample[], other: readonly Sample[]): number {
  return median(own.map(({ cpuMicros }, round) => cpuMicros / (other[round]?.cpuMicros ?? Number.NaN)));
}

function cpuCells(own: readonly Sample[], bare: readonly Sample[]): string[] {
  return [`${median(own.map(({ cpuMicros }) => cpuMicros)).toFixed(1)} µs`, ratio(own, bare).toFixed(2)];
}

function addedCells(own: readonly Sample[], direct: readonly Sample[]): string[] {
  const added = (field: 'p50Micros' | 'p99Micros') =>
    median(own.map((sample, round) => sample[field] - (direct[round]?.[field] ?? Number.NaN)));
  return [added('p50Micros'), added('p99Micros')].map((micros) => `${(micros / 1_000).toFixed(2)} ms`);
}
