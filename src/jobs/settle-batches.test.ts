import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type BatchDouble, type LineOutcome, startBatchDouble } from '../../test/doubles/batch-double.ts';
import { seedOfRun } from '../../test/seeded.ts';
import { Dice } from '../../test/simulation/dice.ts';
import { openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import type { EntriesPage } from '../contract/entries.ts';
import type { Entry } from '../domain/usage/call.ts';
import { DAY_MS, MINUTE_MS } from '../domain/time/units.ts';
import { silentLog } from '../lib/log.ts';
import { buildProviders } from '../providers/providers.ts';
import { OpenCalls } from './open-calls.ts';
import { type BatchJobParts, settleBatchesJob } from './settle-batches.ts';

const NANO_PER_USD = 1e9;
const MODEL = 'claude-haiku-4-5';
const HOLD = { usd: 5_000_000_000, inputTokens: 200_000, outputTokens: 300_000 };
const SEED = seedOfRun();

let it: TestLedger;
let keyId: string;
let double: BatchDouble;
beforeEach(async () => {
  double = await startBatchDouble();
  it = await openTestLedger();
  const source = { providerKey: 'sk-ant-provider-key-0000000000' };
  const input = { workspaceId: 'ws_default', name: 'a', provider: 'anthropic', tags: {}, expiresAt: null, source };
  keyId = (await it.ledger.records.keys.create({ ...input, createdBy: 'test' } as never, 'test')).key.id;
});
afterEach(async () => {
  await it.close();
  await double.close();
});

/** Sends a batch to the provider, and ships its call as the gateway does. */
async function open(lines: number, more: Partial<Entry> = {}): Promise<string> {
  const requests = Array.from({ length: lines }, (_, at) => ({ custom_id: `line-${at}`, params: { model: MODEL } }));
  const answer = await fetch(`${double.url}/v1/messages/batches`, {
    method: 'POST',
    body: JSON.stringify({ requests }),
  });
  const { id } = (await answer.json()) as { id: string };
  await it.ship([
    it.entry({
      callId: `call-of-${id}`,
      provider: 'anthropic',
      keyId,
      requestedModel: MODEL,
      model: MODEL,
      operation: 'batches',
      responseId: id,
      outcome: 'completed',
      usage: null,
      usageSource: 'none',
      uncertainReason: 'background',
      cost: null,
      provenance: null,
      counted: HOLD,
      hold: HOLD,
      startedAt: it.time.now - 1_000,
      ...more,
    }),
  ]);
  return id;
}

/** Runs the job as a process that has just started does, or goes on. */
function run(batches = new OpenCalls(), more: Partial<BatchJobParts> = {}): Promise<void> {
  const { records, store, prices } = it.ledger;
  const providers = buildProviders({ urls: { anthropic: double.url }, custom: [] });
  const own = { records, prices, providers, clock: () => it.time.now, log: silentLog, runner: '1', batches };
  return settleBatchesJob({ ...store, ...own, ...more }).run(new AbortController().signal);
}

const entries = async () => (await it.json<EntriesPage>('/api/mcp/entries?limit=100')).entries;
const openEntry = { uncertainReason: 'background', cost: null };

describe('a batch', () => {
  test('counts with its bound until it has ended, and then costs what its results say', async () => {
    const id = await open(4);
    const batches = new OpenCalls();
    await run(batches);
    expect(await entries()).toMatchObject([openEntry]);
    double.end(id, { input: 10, output: 20 }, 'errored', { input: 30, output: 100 }, 'expired');
    it.time.now += MINUTE_MS;
    await run(batches);
    const [entry] = await entries();
    expect(entry).toMatchObject({ uncertainReason: null, inputTokens: 40, outputTokens: 120 });
    expect(Math.round((entry?.cost ?? 0) * NANO_PER_USD)).toBe(double.bill);
    const { adjustments } = await it.json<{ adjustments: object[] }>(`/api/mcp/entries/call-of-${id}`);
    expect(adjustments).toMatchObject([{ reason: 'results of the batch: 2 succeeded, 1 errored, 1 expired' }]);
  });

  test('that was cancelled before a request was answered costs nothing', async () => {
    double.end(await open(3), 'canceled');
    await run();
    expect(await entries()).toMatchObject([{ uncertainReason: null, cost: 0, inputTokens: 0 }]);
  });

  test('whose provider does not say how many requests it bills stays uncertain', async () => {
    double.end(await open(2), { input: 10, output: 20 });
    double.leaveOutCounts();
    await run();
    expect(await entries()).toMatchObject([openEntry]);
  });

  test('is settled once, however often its results are read', async () => {
    double.end(await open(2), { input: 10, output: 20 });
    await run();
    await run();
    const [entry] = await entries();
    expect(Math.round((entry?.cost ?? 0) * NANO_PER_USD)).toBe(double.bill);
  });

  test('whose results break off stays uncertain until they arrive whole', async () => {
    const id = await open(3);
    double.end(id, { input: 10, output: 20 });
    double.cutResultsTo(2);
    const batches = new OpenCalls();
    await run(batches);
    expect(await entries()).toMatchObject([openEntry]);
    double.cutResultsTo(null);
    it.time.now += MINUTE_MS;
    await run(batches);
    expect(Math.round(((await entries())[0]?.cost ?? 0) * NANO_PER_USD)).toBe(double.bill);
  });

  test.each([
    ['without a usage in one result', { input: 10, output: 20, hidden: true }],
    ['with a result of an unknown kind', 'renamed' as LineOutcome],
  ] as const)('%s stays uncertain, and is not asked for again', async (_name, first) => {
    const id = await open(2);
    double.end(id, first, { input: 1, output: 1 });
    const batches = new OpenCalls();
    await run(batches);
    const { requests } = double;
    it.time.now += MINUTE_MS;
    await run(batches);
    expect(await entries()).toMatchObject([openEntry]);
    expect(double.requests).toBe(requests);
  });

  test('that the provider no longer has stays uncertain', async () => {
    await open(1, { responseId: 'msgbatch_gone' });
    const batches = new OpenCalls();
    await run(batches);
    const early = double.requests;
    it.time.now += 2 * DAY_MS;
    await run(batches);
    // It is asked for again: a provider may not know it yet.
    expect(double.requests).toBe(early + 1);
    it.time.now += DAY_MS;
    await run(batches);
    expect(double.requests).toBe(early + 1);
    expect(await entries()).toMatchObject([openEntry]);
  });

  test('stays uncertain if its key was revoked', async () => {
    double.end(await open(1), { input: 10, output: 20 });
    await it.ledger.records.keys.revoke('ws_default', keyId, 'test');
    await run();
    expect(await entries()).toMatchObject([openEntry]);
  });
});

test(`random batches settle to the provider's bill (TEST_SEED=${SEED})`, async () => {
  const dice = new Dice(SEED);
  for (let left = 40; left > 0; left--) {
    const lines = dice.whole(1, 30);
    const id = await open(lines);
    double.end(id, ...Array.from({ length: lines }, () => drawOutcome(dice)));
  }
  await run();
  const settled = await entries();
  expect(settled.every(({ uncertainReason }) => uncertainReason === null)).toBe(true);
  expect(Math.round(settled.reduce((sum, { cost }) => sum + (cost ?? 0), 0) * NANO_PER_USD)).toBe(double.bill);
});

function drawOutcome(dice: Dice): LineOutcome {
  if (dice.chance(0.3)) return dice.pick(['errored', 'canceled', 'expired'] as const) ?? 'expired';
  return { input: dice.whole(0, 100_000), output: dice.whole(0, 8_000) };
}
