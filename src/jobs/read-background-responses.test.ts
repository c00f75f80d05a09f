import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { NOW, openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import type { EntriesPage } from '../contract/entries.ts';
import { HOUR_MS, MINUTE_MS } from '../domain/time/units.ts';
import { silentLog } from '../lib/log.ts';
import { buildProviders } from '../providers/providers.ts';
import { OpenCalls } from './open-calls.ts';
import { type BackgroundJobParts, readBackgroundResponsesJob } from './read-background-responses.ts';

let it: TestLedger;
let keyId: string;
/** Answers of the provider by response id: a status, or a body. */
let answers: Record<string, number | object>;
let asked: string[];
const HUGE = {};
/** Packed, so that 65 MiB are quickly sent. */
function sendHuge(response: ServerResponse): void {
  response
    .writeHead(200, { 'content-encoding': 'gzip' })
    .end(gzipSync(Buffer.alloc(65 * 1_048_576, ' '), { level: 1 }));
}
const server = createServer((request, response) => {
  const id = request.url?.split('/').at(-1) ?? '';
  asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
  const answer = answers[id] ?? 404;
  if (answer === HUGE) sendHuge(response);
  else if (typeof answer === 'number') response.writeHead(answer).end('{"error":{}}');
  else response.end(JSON.stringify({ id, model: 'gpt-5.4', ...answer }));
});
let url: string;

beforeEach(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  [answers, asked] = [{}, []];
  it = await openTestLedger();
  const source = { providerKey: 'sk-provider-key-0000000000' };
  const input = { workspaceId: 'ws_default', name: 'a', provider: 'openai', tags: {}, expiresAt: null, source };
  keyId = (await it.ledger.records.keys.create({ ...input, createdBy: 'test' } as never, 'test')).key.id;
});
afterEach(async () => {
  await it.close();
  await new Promise((closed) => server.close(closed));
});

const ship = (responseId: string, more = {}): Promise<void> =>
  it.ship([
    it.entry({
      provider: 'openai',
      keyId,
      requestedModel: 'gpt-5.4',
      model: 'gpt-5.4',
      operation: 'responses',
      responseId,
      outcome: 'completed',
      usage: null,
      usageSource: 'none',
      uncertainReason: 'background',
      cost: null,
      provenance: null,
      counted: { usd: 5_000_000, inputTokens: 2_000, outputTokens: 300 },
      startedAt: it.time.now - 1_000,
      ...more,
    }),
  ]);

/** Runs the job as a process that has just started does, or goes on. */
function run(background = new OpenCalls(), more: Partial<BackgroundJobParts> = {}): Promise<void> {
  const { records, store, prices } = it.ledger;
  const providers = buildProviders({ urls: { openai: url }, custom: [] });
  const parts = {
    ...store,
    records,
    prices,
    providers,
    clock: () => it.time.now,
    log: silentLog,
    runner: '1',
    background,
    ...more,
  };
  return readBackgroundResponsesJob(parts).run(new AbortController().signal);
}

const entries = async () => (await it.json<EntriesPage>('/api/mcp/entries?limit=10')).entries;
const usage = { input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100 };

test('a response is read until it has ended, and then its call costs what it used', async () => {
  await ship('resp_1');
  answers['resp_1'] = { status: 'in_progress', usage: null };
  const open = new OpenCalls();
  await run(open);
  expect(await entries()).toMatchObject([{ uncertainReason: 'background', cost: null }]);
  answers['resp_1'] = { status: 'completed', service_tier: 'default', output: [], usage };
  it.time.now += MINUTE_MS;
  await run(open);
  // $2.50 and $15 per million tokens.
  const cost = (1_000 * 2.5 + 100 * 15) / 1e6;
  expect(await entries()).toMatchObject([{ uncertainReason: null, cost, inputTokens: 1_000, outputTokens: 100 }]);
  expect(asked).toEqual(Array(2).fill('GET /v1/responses/resp_1 Bearer sk-provider-key-0000000000'));
  await run(open);
  expect(asked).toHaveLength(2);
});

test('fees of its tools are those that the response names', async () => {
  await ship('resp_1');
  const output = [{ type: 'web_search_call', action: { type: 'search' } }];
  answers['resp_1'] = { status: 'completed', tools: [{ type: 'web_search' }], output, usage };
  await run();
  expect(await entries()).toMatchObject([{ cost: (1_000 * 2.5 + 100 * 15) / 1e6 + 0.01 }]);
});

test('a process that starts again reads what an earlier one left open', async () => {
  await ship('resp_1');
  answers['resp_1'] = 500;
  await run();
  answers['resp_1'] = { status: 'incomplete', output: [], usage };
  await run();
  expect(await entries()).toMatchObject([{ uncertainReason: null }]);
});

test.each<[string, number | object]>([
  ['that is gone', 404],
  ['that is too large, which no header says,', HUGE],
  ['that ended without usage', { status: 'cancelled', output: [], usage: null }],
])('a response %s leaves its call uncertain, and is not asked for again', async (_name, answer) => {
  await ship('resp_1');
  answers['resp_1'] = answer;
  const open = new OpenCalls();
  await run(open);
  await run(open);
  expect(asked).toHaveLength(1);
  expect(await entries()).toMatchObject([{ uncertainReason: 'background', cost: null }]);
});

test('a response is asked for again every minute while the provider fails', async () => {
  await ship('resp_1');
  answers['resp_1'] = 503;
  const open = new OpenCalls();
  for (let times = 1; times < 5; times++, it.time.now += MINUTE_MS) {
    await run(open);
    expect(asked).toHaveLength(times);
  }
  answers['resp_1'] = { status: 'completed', output: [], usage };
  await run(open);
  expect(await entries()).toMatchObject([{ uncertainReason: null }]);
});

test('an old response is asked for every five minutes, and after a day no longer', async () => {
  await ship('resp_1', { startedAt: NOW - HOUR_MS });
  answers['resp_1'] = { status: 'queued' };
  const open = new OpenCalls();
  for (const [minutes, times] of [
    [0, 1],
    [4, 1],
    [2, 2],
    [25 * 60, 2],
  ] as const) {
    it.time.now += minutes * MINUTE_MS;
    await run(open);
    expect(asked).toHaveLength(times);
  }
});

test('a call that is recorded while open ones are listed is read by the next run', async () => {
  const { store } = it.ledger;
  const open = new OpenCalls();
  const entriesPage: typeof store.reports.entriesPage = async (...query) => {
    const page = await store.reports.entriesPage(...query);
    open.notice();
    return page;
  };
  await run(open, { reports: { entriesPage } });
  expect(open.isAnyDue(it.time.now)).toBe(true);
});

test('calls are looked for again after they could not be listed', async () => {
  const open = new OpenCalls();
  const entriesPage = () => Promise.reject(new Error('the database is away'));
  await expect(run(open, { reports: { entriesPage } })).rejects.toThrow('away');
  expect(open.isAnyDue(it.time.now)).toBe(true);
});

test('without open responses nothing is asked, and the ledger only once', async () => {
  await ship('resp_1', { uncertainReason: 'crash', outcome: 'lost' });
  const open = new OpenCalls();
  await run(open);
  expect([asked.length, open.isAnyDue(it.time.now)]).toEqual([0, false]);
  open.notice();
  expect(open.isAnyDue(it.time.now)).toBe(true);
});
