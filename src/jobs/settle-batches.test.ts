import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type BatchDouble, type LineOutcome, startBatchDouble } from '../../test/doubles/batch-double.ts';
import { openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import type { EntriesPage, EntryDetail } from '../contract/entries.ts';
import type { Entry } from '../domain/usage/call.ts';
import { DAY_MS, MINUTE_MS } from '../domain/time/units.ts';
import { silentLog } from '../lib/log.ts';
import { buildProviders } from '../providers/providers.ts';
import { OpenCalls } from './open-calls.ts';
import { type BatchJobParts, settleBatchesJob } from './settle-batches.ts';

const NANO_PER_USD = 1e9;
const MODEL = 'claude-haiku-4-5';
const HOLD = { usd: 5_000_000_000, inputTokens: 200_000, outputTokens: 300_000 };

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
  await it.ship([openBatch(id, more)]);
  return id;
}

/** Returns the call of a batch whose results were not read yet. */
function openBatch(id: string, more: Partial<Entry> = {}): Entry {
  return it.entry({
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
  });
}

/** Runs the job as a process that has just started does, or goes on. */
function run(batches = new OpenCalls(), more: Partial<BatchJobParts> = {}): Promise<void> {
  const { records, store, prices } = it.ledger;
  const providers = buildProviders({ urls: { anthropic: double.url }, custom: [] });
  const raise = it.ledger.raise.bind(it.ledger);
  const own = { records, prices, providers, clock: () => it.time.now, log: silentLog, runner: '1', batches, raise };
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
    expect(entry).toMatchObject({ uncertainReason: null, usageSource: 'reported', inputTokens: 40, outputTokens: 120 });
    expect(await it.ledger.records.alerts.list('ws_default', { limit: 9, unreadOnly: false })).toEqual([]);
    expect(Math.round((entry?.cost ?? 0) * NANO_PER_USD)).toBe(double.bill);
    const { adjustments, lines } = await it.json<EntryDetail>(`/api/mcp/entries/call-of-${id}`);
    expect(adjustments).toMatchObject([{ reason: 'results of the batch: 2 succeeded, 1 errored, 1 expired' }]);
    expect(lines).toMatchObject([
      { item: 'input', count: 40, multiplier: 0.5 },
      { item: 'output', count: 120 },
    ]);
  });

  test('that costs more than its hold raises an alert, once', async () => {
    double.end(await open(1, { hold: { ...HOLD, usd: 1 } }), { input: 10, output: 20 });
    await run();
    await run();
    const alerts = await it.ledger.records.alerts.list('ws_default', { limit: 9, unreadOnly: false });
    expect(alerts).toMatchObject([
      { type: 'OVERRUN', severity: 'critical', title: 'Maximum cost exceeded by a batch' },
    ]);
    expect(alerts[0]?.value).toBeCloseTo(double.bill / NANO_PER_USD, 12);
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
    it.time.now += 2 * MINUTE_MS;
    await run(batches);
    expect(Math.round(((await entries())[0]?.cost ?? 0) * NANO_PER_USD)).toBe(double.bill);
  });

  test.each([
    ['that has no usage', { hidden: true }],
    ['that is no JSON', { garbled: true }],
  ] as const)('with a result %s settles all others, and keeps the bound of that one', async (_name, broken) => {
    const largest = { usd: 70_000_000, inputTokens: 3_000, outputTokens: 1_000 };
    const id = await open(3, { openWork: { headers: {}, batch: { requests: 3, largest } } });
    double.end(id, { input: 1_000, output: 20, ...broken }, { input: 10, output: 20 });
    const batches = new OpenCalls();
    await run(batches);
    const cost = (20 * 500 + 40 * 2_500) / NANO_PER_USD;
    const settled = { cost, inputTokens: 20, outputTokens: 40, uncertainReason: 'unreadable', uncertainUpTo: 0.07 };
    expect(await entries()).toMatchObject([settled]);
    const { adjustments } = await it.json<{ adjustments: object[] }>(`/api/mcp/entries/call-of-${id}`);
    const reason = 'results of the batch: 2 succeeded, 1 not readable, counted with the bound of the largest request';
    expect(adjustments).toMatchObject([{ reason }]);
    const { requests } = double;
    it.time.now += DAY_MS;
    await run(batches);
    await run();
    expect(double.requests).toBe(requests);
  });

  test('whose unreadable results are not billed is settled exactly', async () => {
    double.end(await open(2), 'renamed' as LineOutcome, { input: 1, output: 1 });
    await run();
    expect(await entries()).toMatchObject([{ uncertainReason: null, inputTokens: 1, outputTokens: 1 }]);
  });

  test('that can not be read says why, and is asked for ever less often, until it is given up', async () => {
    const id = await open(1);
    double.answerWith(401);
    const batches = new OpenCalls();
    await run(batches);
    const problem = 'Anthropic answered 401: it no longer accepts the provider key.';
    expect(await entries()).toMatchObject([{ ...openEntry, settleProblem: problem }]);
    expect(await it.json(`/api/mcp/entries/call-of-${id}`)).toMatchObject({ settleProblem: problem });
    const asked: number[] = [];
    const start = it.time.now;
    for (const { requests } = double; it.time.now < start + 30 * DAY_MS; it.time.now += MINUTE_MS * 2) {
      if (batches.isAnyDue(it.time.now)) await run(batches);
      if (double.requests > requests + asked.length) asked.push((it.time.now - start) / MINUTE_MS);
    }
    expect(asked.slice(0, 4)).toEqual([2, 6, 14, 30]);
    expect(asked).toHaveLength(19);
  });

  test('is settled as soon as a problem is over, which is then forgotten', async () => {
    const id = await open(1);
    double.end(id, { input: 10, output: 20 });
    double.answerWith(404);
    const batches = new OpenCalls();
    await run(batches);
    double.answerWith(null);
    it.time.now += 2 * MINUTE_MS;
    await run(batches);
    expect(await entries()).toMatchObject([{ uncertainReason: null }]);
    expect((await entries())[0]).not.toHaveProperty('settleProblem');
    expect(await it.ledger.records.callProblems.find('ws_default', [`call-of-${id}`])).toEqual(new Map());
  });

  test('whose id is none is given up immediately, and says so', async () => {
    const source = { providerKey: 'AIza-provider-key-000000' };
    const input = { workspaceId: 'ws_default', name: 'g', provider: 'google', tags: {}, expiresAt: null, source };
    const { key } = await it.ledger.records.keys.create({ ...input, createdBy: 'test' } as never, 'test');
    await it.ship([openBatch('files/a', { provider: 'google', keyId: key.id })]);
    await run();
    const settleProblem = "Google gave the batch an id by which it can't be asked for.";
    expect(await entries()).toMatchObject([{ ...openEntry, settleProblem }]);
  });

  test('is asked for in the account of its request', async () => {
    await open(1, { openWork: { headers: { 'openai-project': 'proj_1' } } });
    await run();
    expect(double.headers).toMatchObject({ 'openai-project': 'proj_1' });
  });

  test('is found behind any number of others, also of those that were given up', async () => {
    const id = await open(1, { startedAt: it.time.now - DAY_MS });
    double.end(id, { input: 10, output: 20 });
    const [oldest] = await entries();
    await it.ship(Array.from({ length: 450 }, (_, at) => openBatch(`gone_${at}`)));
    const batches = new OpenCalls();
    await run(batches);
    expect(await it.json(`/api/mcp/entries/${oldest?.id}`)).toMatchObject({ uncertainReason: null });
    expect(double.requests).toBe(453);
  });

  test('stays uncertain if its key was revoked, and says so', async () => {
    double.end(await open(1), { input: 10, output: 20 });
    await it.ledger.records.keys.revoke('ws_default', keyId, 'test');
    await run();
    const settleProblem = 'Its wrapped key was revoked, and the provider answers no other.';
    expect(await entries()).toMatchObject([{ ...openEntry, settleProblem }]);
  });
});
