// How long reports take on a large book: `node bench/reports.ts --entries 1000000,10000000 [--dir /tmp] [--write]`.
// Fills a book through its own append (90 days, 5 providers, 50 models, 200 keys, 3 tags of 10 values), then asks.
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Entry } from '../src/core/call.ts';
import { openEngine } from '../src/storage/open.ts';
import type { Range, Store } from '../src/storage/store.ts';
import { machine, median, table, writeIntoReadme } from './readme.ts';

const { values: flags } = parseArgs({
  options: {
    entries: { type: 'string', default: '1000000' },
    dir: { type: 'string', default: join(tmpdir(), 'tollbook-bench') },
    write: { type: 'boolean', default: false },
  },
});

const HOUR_MS = 3_600_000;
const DAYS = 90;
const BATCH = 500;
const ROUNDS = 60;
const FIRST = Date.UTC(2026, 0, 1);
const LAST = FIRST + DAYS * 24 * HOUR_MS;
const WORKSPACE = 'ws_default';
const PROVIDERS = ['anthropic', 'google', 'openai', 'mistral', 'groq'];

/** Repeatable, uniform: the worst case for roll-ups, since every combination occurs. */
let seed = 42;
function random(below: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
}

/** A key stands for one provider, and asks for any of its ten models. */
function entryAt(index: number, beganAt: number): Entry {
  const key = random(200);
  const provider = PROVIDERS[key % PROVIDERS.length] ?? '';
  const model = `${provider}-model-${random(10)}-20260101`;
  const [input, cacheRead, output] = [random(4_000), random(3_000), random(900)];
  const cost = input * 3_000 + cacheRead * 300 + output * 15_000;
  const hasFailed = random(50) === 0;
  const amounts = { usd: cost, inputTokens: input + cacheRead, outputTokens: output };
  return {
    callId: `call_${beganAt.toString(36)}${index.toString(36).padStart(6, '0')}`,
    workspaceId: WORKSPACE,
    keyId: `key_01jb2m3n4p5q6r7s${key}`,
    provider,
    operation: 'messages',
    askedModel: model,
    stream: random(2) === 0,
    tags: { team: `team-${random(10)}`, env: `env-${random(10)}`, feature: `feature-${random(10)}` },
    sessionHash: null,
    beganAt,
    hold: { ...amounts, outputTokens: 4_096 },
    touched: [],
    endedAt: beganAt + 1_200,
    outcome: hasFailed ? 'failed' : 'completed',
    doubt: null,
    status: hasFailed ? 429 : 200,
    usageSource: hasFailed ? 'none' : 'reported',
    usage: hasFailed
      ? null
      : {
          inferences: [{ model: null, tokens: { input, cacheRead, output }, promptTokens: input + cacheRead }],
          uses: {},
          thinking: 0,
          terms: { tier: 'standard', speed: null, geo: 'global' },
        },
    model,
    cost: hasFailed ? 0 : cost,
    counted: amounts,
    priceVersion: 'genai-prices-0.1.8-a1b2c3',
    requestId: `req_011C${random(2 ** 31).toString(36)}${index}`,
    responseId: `msg_01${random(2 ** 31).toString(36)}${index}`,
    firstByteMs: random(900),
    source: 'proxy',
  };
}

/** Entries per second, and the memory after a tenth and at the end: it must not grow with the book. */
async function fill(store: Store, count: number): Promise<{ perSecond: number; liveBytes: [number, number] }> {
  let [spentMs, early] = [0, 0];
  for (let from = 0; from < count; from += BATCH) {
    const size = Math.min(BATCH, count - from);
    const entries = Array.from({ length: size }, (_, offset) => {
      const index = from + offset;
      return entryAt(index, FIRST + Math.floor((index / count) * (LAST - FIRST)));
    });
    const begin = performance.now();
    await store.entries.append({ journalId: 'bench', mark: from + size, entries });
    spentMs += performance.now() - begin;
    if (early === 0 && from >= count / 10) early = liveBytes();
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
async function time(ask: (range: Range) => Promise<unknown>, stepMs: number): Promise<Timing> {
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
  const questions: [string, (range: Range) => Promise<unknown>][] = [
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
  table(['30 days of a 90-day book', 'entries', 'median', 'p95', 'CPU'], rows),
  '',
  `${machine()}; one workspace, 50 models of 5 providers, 200 keys, 3 tags of 10 values; appended by ${BATCH}.`,
].join('\n');
process.stdout.write(`${text}\n`);
if (flags.write) writeIntoReadme('reports', text);
