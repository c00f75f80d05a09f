// What telemetry costs: calls beside a stream of received log records, and calls that are exported:
// `node bench/telemetry.ts [--rounds 9] [--seconds 4] [--write]`.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { benchFile, Child } from './child.ts';
import type { Load, LoadResult } from './load.ts';
import { machine, median, table, writeIntoPage } from './page.ts';
import { createService, createToken, startService, startUpstream, type Target } from './targets.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '4' },
    write: { type: 'boolean', default: false },
  },
});

const CALLS_PER_SECOND = 500;
/** Of a hundred developers at work, of a large organization, and of a burst. */
const RECORDS_PER_SECOND = [200, 1_000, 5_000] as const;
const WARM_UP_MS = 15_000;
/** A run of Claude Code has 7 log records, two of them calls. */
const RUNS_PER_REQUEST = 15;
const RECORDS_PER_REQUEST = 7 * RUNS_PER_REQUEST;
const body = JSON.stringify({
  model: 'claude-sonnet-4-5',
  max_tokens: 1_000,
  messages: [{ role: 'user', content: 'A question of about nine hundred letters. '.repeat(22) }],
});

interface Sample extends LoadResult {
  readonly records: number;
  /** Of the whole service. */
  readonly cpuMicros: number;
  /** Time for which the gateway's thread had work and no core. */
  readonly waitMicros: number;
}

const folder = await mkdtemp(join(tmpdir(), 'tollbook-telemetry-'));
const collector = createServer((request, response) => request.resume().on('end', () => response.end()));
collector.listen(0, '127.0.0.1');
await once(collector, 'listening');
const load = new Child(benchFile('load.ts'));
const upstream = await startUpstream();
const plain = await createService(upstream, join(folder, 'plain'));
const token = await createToken(plain, 'otlp:write');
const exporting = await createService(upstream, join(folder, 'exporting'));
const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
const services = [
  startService(plain),
  startService({ ...exporting, env: { ...exporting.env, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } }),
] as const;
const [quiet, exports] = services;
const fixture = readFileSync(new URL('../src/telemetry/fixtures/claude-code-logs.json', import.meta.url), 'utf8');
let runs = 0;
try {
  for (const { child, port } of services) await child.listening(port);
  const rates = RECORDS_PER_SECOND.map((rate) => () => measure(quiet, rate));
  const measures = [() => measure(quiet, 0), ...rates, () => measure(exports, 0)];
  // A fresh process needs about 30,000 calls until its compiled code stays.
  for (const target of services) await callAt(target, null, WARM_UP_MS);
  for (const take of measures) await take();
  const samples: Sample[][] = measures.map(() => []);
  for (let round = 0; round < Number(options.rounds); round += 1)
    for (let step = 0; step < measures.length; step += 1) {
      const index = (round + step) % measures.length;
      const sample = await measures[index]?.();
      if (sample) samples[index]?.push(sample);
    }
  const text = report(samples);
  process.stdout.write(`${text}\n`);
  if (options.write) writeIntoPage('telemetry', text);
} finally {
  await Promise.all([load.stop(), upstream.child.stop(), ...services.map(({ child }) => child.stop())]);
  collector.closeAllConnections();
  collector.close();
  await rm(folder, { recursive: true, force: true });
}

async function measure(target: Target, recordsPerSecond: number): Promise<Sample> {
  let running = recordsPerSecond > 0;
  const [before, waited] = [await target.child.usage(), target.child.waitMicros()];
  const sending = sendRecords((1_000 * RECORDS_PER_REQUEST) / recordsPerSecond, () => running);
  const result = await callAt(target, CALLS_PER_SECOND, Number(options.seconds) * 1_000);
  running = false;
  const records = await sending;
  const after = await target.child.usage();
  const waitMicros = target.child.waitMicros() - waited;
  return { ...result, records, cpuMicros: after.cpuMicros - before.cpuMicros, waitMicros };
}

async function callAt(target: Target, callsPerSecond: number | null, milliseconds: number): Promise<LoadResult> {
  const { port, path, headers, keys } = target;
  const ask: Load = { port, path, headers, keys, body, connections: 32, milliseconds, callsPerSecond };
  const result = await load.ask<LoadResult>(ask);
  if (result.failures > 0) throw new Error(`${result.failures} of ${result.calls} calls failed.`);
  return result;
}

/** Sends requests one after the other, each at its time or as soon as the one before is answered. */
async function sendRecords(everyMs: number, running: () => boolean): Promise<number> {
  let sent = 0;
  for (let due = performance.now(); running(); due += everyMs) {
    const answer = await fetch(`http://127.0.0.1:${quiet.port}/v1/logs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: newRecords(),
    });
    if (!answer.ok) throw new Error(`Telemetry was refused: ${await answer.text()}`);
    await answer.arrayBuffer();
    sent += RECORDS_PER_REQUEST;
    const early = due + everyMs - performance.now();
    if (early > 0) await setTimeout(early);
  }
  return sent;
}

/** Returns a request of runs that were not sent before, of now. Twenty runs are one session. */
function newRecords(): string {
  const { resourceLogs } = JSON.parse(fixture) as { resourceLogs: { scopeLogs: { logRecords: object[] }[] }[] };
  const template = JSON.stringify(resourceLogs[0]?.scopeLogs[0]?.logRecords).slice(1, -1);
  const records = Array.from({ length: RUNS_PER_REQUEST }, () => {
    runs += 1;
    return template
      .replaceAll(/req_\w+(\d)"/g, `req_${runs}_$1"`)
      .replaceAll(/77a026ab-b9d0-49d8-adf3-\w+/g, `session-${Math.floor(runs / 20)}`)
      .replaceAll(/TimeUnixNano":"\d+"/gi, `TimeUnixNano":"${Date.now()}000000"`);
  });
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'claude-code' } }] };
  const message = { resourceLogs: [{ resource, scopeLogs: [{ logRecords: 'HERE' }] }] };
  return JSON.stringify(message).replace('"HERE"', () => `[${records.join(',')}]`);
}

function report([alone = [], ...others]: readonly Sample[][]): string {
  const exported = others.at(-1) ?? [];
  const received = others.slice(0, -1);
  const microsPerRecord = (received.at(-1) ?? []).map(
    (sample, round) => (sample.cpuMicros - (alone[round]?.cpuMicros ?? 0)) / sample.records,
  );
  const rows = [['nothing', ...cells(alone, alone)]];
  for (const samples of received)
    rows.push([`${perSecond(samples)} log records a second arrive`, ...cells(samples, alone)]);
  rows.push(['calls are exported', ...cells(exported, alone)]);
  const head = [`${CALLS_PER_SECOND} calls a second, while`, 'median', '÷', 'p99', '÷', 'CPU per call', '÷', 'no core'];
  return [
    table(head, rows),
    `"No core" is the share of the time in which the gateway's thread had work and waited for a core. A log record costs ${Math.round(median(microsPerRecord))} µs of CPU; two of seven are calls. Medians of ${options.rounds} interleaved rounds of ${options.seconds} s; ${machine()}, at a load of ${(loadavg()[0] ?? 0).toFixed(0)} afterwards.`,
  ].join('\n\n');
}

function perSecond(samples: readonly Sample[]): string {
  const records = median(samples.map((sample) => sample.records));
  return Math.round(records / Number(options.seconds)).toLocaleString('en');
}

function cells(samples: readonly Sample[], alone: readonly Sample[]): string[] {
  const show = (unit: number, text: string, figure: (sample: Sample) => number): string[] => {
    const ratios = samples.map((sample, round) => figure(sample) / (alone[round] ? figure(alone[round]) : Number.NaN));
    return [`${(median(samples.map(figure)) / unit).toFixed(2)} ${text}`, median(ratios).toFixed(2)];
  };
  const waits = median(samples.map(({ waitMicros }) => waitMicros)) / (Number(options.seconds) * 10_000);
  return [
    ...show(1_000, 'ms', ({ p50Micros }) => p50Micros),
    ...show(1_000, 'ms', ({ p99Micros }) => p99Micros),
    ...show(1_000, 'ms', ({ cpuMicros, calls }) => cpuMicros / calls),
    `${waits.toFixed(1)} %`,
  ];
}
