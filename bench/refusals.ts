// Effect on other keys of one key whose calls a limit refuses: `node bench/refusals.ts [--rounds 3] [--seconds 20] [--write]`.
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { benchFile, Child } from './child.ts';
import type { Load, LoadResult } from './load.ts';
import { machine, median, table, writeIntoPage } from './page.ts';
import { createService, createWrappedKey, setLimit, startService, startUpstream } from './targets.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '20' },
    write: { type: 'boolean', default: false },
  },
});

const CALLS_PER_SECOND = 200;
/** Nearly as many as the gateway answers of one key. Beyond that, requests wait. */
const REFUSED_PER_SECOND = 450;
/** Time until sums are written and shipped. */
const SETTLE_MS = 3_000;
const MILLISECONDS = Number(options.seconds) * 1_000;
const body = JSON.stringify({
  model: 'claude-sonnet-4-5',
  max_tokens: 1_000,
  messages: [{ role: 'user', content: 'A question of about nine hundred letters. '.repeat(22) }],
});

interface Round {
  readonly quiet: LoadResult;
  readonly flooded: LoadResult;
  readonly refused: number;
  readonly rssBytes: number;
  /** Processor time of the service for each refused call, its share of the answered ones taken off. */
  readonly cpuMicrosPerRefusal: number;
  /** The same for each answered call of the quiet time. */
  readonly cpuMicrosPerCall: number;
}

const folder = await mkdtemp(join(tmpdir(), 'tollbook-refusals-'));
const [load, flood] = [new Child(benchFile('load.ts')), new Child(benchFile('load.ts'))];
const upstream = await startUpstream();
const service = await createService(upstream, folder);
const refusedKey = await createWrappedKey(service, 'refused');
await setLimit(service, ['--unit', 'usd', '--amount', '0.000001', '--window', 'month', '--key', 'refused']);
const target = startService(service);
try {
  await target.child.listening(target.port);
  for (let warmUp = 0; warmUp < 2; warmUp += 1) await Promise.all([answered(4_000), refusals(4_000)]);
  await pause(SETTLE_MS);
  const before = { ...(await target.child.usage()), ...(await measureData()) };
  const rounds: Round[] = [];
  for (let round = 0; round < Number(options.rounds); round += 1) rounds.push(await measureRound());
  const after = { ...(await target.child.usage()), ...(await measureData()) };
  const text = report(rounds, before, after);
  process.stdout.write(`${text}\n`);
  if (options.write) writeIntoPage('refusals', text);
} finally {
  await Promise.all([load.stop(), flood.stop(), target.child.stop(), upstream.child.stop()]);
  await rm(folder, { recursive: true, force: true });
}

/** A quiet time and the flood right after it are compared. */
async function measureRound(): Promise<Round> {
  const start = await target.child.usage();
  const quiet = await answered(MILLISECONDS);
  const middle = await target.child.usage();
  const [flooded, { calls: refused }] = await Promise.all([answered(MILLISECONDS), refusals(MILLISECONDS)]);
  const { rssBytes, cpuMicros } = await target.child.usage();
  const cpuMicrosPerRefusal = (cpuMicros - 2 * middle.cpuMicros + start.cpuMicros) / refused;
  await pause(SETTLE_MS);
  const cpuMicrosPerCall = (middle.cpuMicros - start.cpuMicros) / quiet.calls;
  const round = { quiet, flooded, refused, rssBytes, cpuMicrosPerRefusal, cpuMicrosPerCall };
  process.stderr.write(`${JSON.stringify(round)}\n`);
  return round;
}

function answered(milliseconds: number): Promise<LoadResult> {
  const { port, path, headers, keys } = target;
  const shape = { connections: 16, milliseconds, callsPerSecond: CALLS_PER_SECOND };
  return load.ask<LoadResult>({ port, path, headers, keys, body, ...shape } satisfies Load);
}

function refusals(milliseconds: number): Promise<LoadResult> {
  const { port, path, headers } = target;
  const shape = { connections: 16, milliseconds, callsPerSecond: REFUSED_PER_SECOND };
  const own = { ...headers, 'x-api-key': refusedKey };
  return flood.ask<LoadResult>({ port, path, headers: own, keys: 1, body, ...shape } satisfies Load);
}

interface StoredData {
  readonly records: number;
  readonly calls: number;
  readonly journalBytes: number;
}

/** Reads how many records the refused calls have in the ledger, and their number. */
async function measureData(): Promise<StoredData> {
  const data = service.env.SVC_DATA_DIR;
  const ledger = new DatabaseSync(join(data, 'ledger.db'), { readOnly: true });
  try {
    const row = ledger.prepare('SELECT count(*) AS records, coalesce(sum(calls), 0) AS calls FROM refusals').get();
    const journal = join(data, 'journal');
    const files = await Promise.all((await readdir(journal)).map((name) => stat(join(journal, name))));
    const journalBytes = files.reduce((sum, { size }) => sum + size, 0);
    return { records: Number(row?.['records']), calls: Number(row?.['calls']), journalBytes };
  } finally {
    ledger.close();
  }
}

function report(
  rounds: readonly Round[],
  before: StoredData & { readonly rssBytes: number },
  after: StoredData & { readonly rssBytes: number },
): string {
  const [sent, stored] = [rounds.reduce((sum, { refused }) => sum + refused, 0), after.calls - before.calls];
  const answers = rounds.reduce((sum, { quiet, flooded }) => sum + quiet.calls + flooded.calls, 0);
  const row = (name: string, read: (round: Round) => LoadResult, times: string): string[] => [
    name,
    ...(['p50Micros', 'p99Micros'] as const).map(
      (field) => `${(median(rounds.map((round) => read(round)[field])) / 1_000).toFixed(2)} ms`,
    ),
    times,
  ];
  const times = median(rounds.map(({ quiet, flooded }) => flooded.p99Micros / quiet.p99Micros)).toFixed(2);
  const records = after.records - before.records;
  return [
    table(
      [`${CALLS_PER_SECOND} calls a second of another key`, 'median', 'p99', '÷'],
      [
        row('no refused calls', ({ quiet }) => quiet, ''),
        row(`${REFUSED_PER_SECOND} refused calls a second`, ({ flooded }) => flooded, times),
      ],
    ),
    `${sent.toLocaleString('en')} refused calls are ${records.toLocaleString('en')} records in the ledger that count ${stored.toLocaleString('en')} calls. A refused call takes ${median(rounds.map((round) => round.cpuMicrosPerRefusal)).toFixed(0)} µs of processor time, an answered one ${median(rounds.map((round) => round.cpuMicrosPerCall)).toFixed(0)} µs. The journal grew by ${megabytes(after.journalBytes - before.journalBytes)}, with ${answers.toLocaleString('en')} answered calls; memory was ${megabytes(before.rssBytes)} before, ${megabytes(Math.max(...rounds.map(({ rssBytes }) => rssBytes)))} at most and ${megabytes(after.rssBytes)} afterwards. Medians of ${rounds.length} rounds of ${options.seconds} s, each compared with a quiet time just before it; ${machine()}, which also carry load and provider, at a load of ${(loadavg()[0] ?? 0).toFixed(0)} afterwards.`,
  ].join('\n\n');
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
