import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DrawnBatch, drawBatch, startBatchServer } from '../../test/doubles/drawn-batches.ts';
import { seedOfRun } from '../../test/seeded.ts';
import { Dice } from '../../test/simulation/dice.ts';
import { openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import type { EntriesPage, EntryShape } from '../contract/entries.ts';
import { MINUTE_MS } from '../domain/time/units.ts';
import { silentLog } from '../lib/log.ts';
import { buildProviders } from '../providers/providers.ts';
import { OpenCalls } from './open-calls.ts';
import { settleBatchesJob } from './settle-batches.ts';

const SEED = seedOfRun();
const BATCHES = Number(process.env['TEST_SETTLED_BATCHES'] ?? 60);
/** Batches that are open at the same time. */
const ROUND = 60;
const RUNS_MAX = 5;
const NANO_PER_USD = 1e9;
const PROVIDERS = ['anthropic', 'openai', 'google'] as const;

let it: TestLedger;
let server: Awaited<ReturnType<typeof startBatchServer>>;
const keys = new Map<string, string>();
beforeAll(async () => {
  server = await startBatchServer();
  it = await openTestLedger();
  for (const provider of PROVIDERS) {
    const source = { providerKey: `sk-provider-key-${provider}` };
    const input = { workspaceId: 'ws_default', name: provider, provider, tags: {}, expiresAt: null, source };
    const { key } = await it.ledger.records.keys.create({ ...input, createdBy: 'test' } as never, 'test');
    keys.set(provider, key.id);
  }
});
afterAll(async () => {
  await it.close();
  await server.close();
});

/** Ships the call of a batch, as the gateway does that held the most that its requests may cost. */
async function ship({ provider, model, id, lines }: DrawnBatch, dice: Dice): Promise<void> {
  const bounds = lines.map(({ bill }) => bill + dice.whole(0, 1_000));
  const tokens = { inputTokens: 1e9, outputTokens: 1e9 };
  const hold = { usd: bounds.reduce((sum, bound) => sum + bound, 0), ...tokens };
  const largest = { usd: Math.max(...bounds), ...tokens };
  await it.ship([
    it.entry({
      callId: `call-of-${id}`,
      provider,
      keyId: keys.get(provider)!,
      requestedModel: model,
      model,
      operation: 'batches',
      responseId: id,
      usage: null,
      usageSource: 'none',
      uncertainReason: 'background',
      cost: null,
      provenance: null,
      counted: hold,
      hold,
      openWork: { headers: {}, batch: { requests: lines.length, largest } },
      startedAt: it.time.now - 1_000,
    }),
  ]);
}

async function run(open: OpenCalls): Promise<void> {
  const { records, store, prices } = it.ledger;
  const { url } = server;
  const providers = buildProviders({ urls: { anthropic: url, openai: url, google: url }, custom: [] });
  const raise = it.ledger.raise.bind(it.ledger);
  const own = {
    records,
    prices,
    providers,
    clock: () => it.time.now,
    log: silentLog,
    runner: '1',
    batches: open,
    raise,
  };
  await settleBatchesJob({ ...store, ...own }).run(new AbortController().signal);
}

async function newest(): Promise<ReadonlyMap<string | null, EntryShape>> {
  const { entries } = await it.json<EntriesPage>(`/api/mcp/entries?limit=${ROUND}`);
  return new Map(entries.map((entry) => [entry.responseId, entry]));
}

function isAnyOpen(entries: ReadonlyMap<string | null, EntryShape>): boolean {
  return [...entries.values()].some(({ uncertainReason }) => uncertainReason === 'background');
}

const toNano = (usd: number | null | undefined): number => Math.round((usd ?? Number.NaN) * NANO_PER_USD);
const sumOf = (lines: DrawnBatch['lines']): number => lines.reduce((sum, { bill }) => sum + bill, 0);

/** The cost of a batch is its bill; where results can't be read, it is that of the others, and the rest is within the bound. */
function expectBill({ lines }: DrawnBatch, entry: EntryShape | undefined, why: string): void {
  const hidden = lines.filter(({ isHidden }) => isHidden);
  expect(entry?.uncertainReason, why).toBe(hidden.length > 0 ? 'unreadable' : null);
  expect(toNano(entry?.cost), why).toBe(sumOf(lines) - sumOf(hidden));
  if (hidden.length > 0) expect(toNano(entry?.uncertainUpTo), why).toBeGreaterThanOrEqual(sumOf(hidden));
}

test(`random batches of each provider settle to their bills, also those that first arrive in part (TEST_SEED=${SEED})`, async () => {
  for (let first = 0; first < BATCHES; first += ROUND) {
    const dice = new Dice(SEED + first);
    it.time.now += MINUTE_MS * 60;
    const batches: DrawnBatch[] = [];
    for (let at = first; at < Math.min(BATCHES, first + ROUND); at++) {
      const batch = drawBatch(dice, at);
      batches.push(batch);
      await ship(batch, dice);
      for (const [path, text] of batch.answers) server.answers.set(path, dice.chance(0.1) ? text.slice(0, -20) : text);
    }
    const open = new OpenCalls();
    await run(open);
    for (const { answers } of batches) for (const [path, text] of answers) server.answers.set(path, text);
    let settled = await newest();
    // A connection may be lost at any time, and the question is then asked again.
    for (let runs = 1; runs < RUNS_MAX && isAnyOpen(settled); runs++) {
      it.time.now += MINUTE_MS * 2 ** runs;
      await run(open);
      settled = await newest();
    }
    for (const batch of batches)
      expectBill(
        batch,
        settled.get(batch.id),
        `TEST_SEED=${SEED + first}, ${batch.provider} ${batch.model} ${batch.id}`,
      );
    server.answers.clear();
  }
});
