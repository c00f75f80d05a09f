import { NO_CONTEXT } from '../../domain/usage/call-context.ts';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { afterAll, expect, test, vi } from 'vitest';
import type { CallBegin } from '../../domain/usage/call.ts';
import { OPEN_POLICY } from '../../domain/policy/policy.ts';
import type { RateCard } from '../../domain/pricing/price.ts';
import type { GatewayKey } from '../../domain/identity/wrapped-key.ts';
import type { Limit } from '../../domain/limits/limit.ts';
import { createMemoryJournal } from '../../journal/contract/memory-journal.ts';
import type { Hold } from '../../limits/hold.ts';
import { LimitsEngine } from '../../limits/limits.ts';
import { silentLog } from '../../lib/log.ts';
import { anthropic } from '../../providers/anthropic/anthropic.ts';
import { openai } from '../../providers/openai/openai.ts';
import { ContractBook } from '../../prices/contract-book.ts';
import type { InferenceRoute, Provider, StreamCostForm } from '../../providers/provider.ts';
import { buildProviders } from '../../providers/providers.ts';
import { ProxiedCall } from './call.ts';

const NOW = Date.UTC(2026, 10, 1);
const route = anthropic.route('POST', '/v1/messages') as InferenceRoute;
const readBody = (more = '') =>
  route.readRequest(Buffer.from(`{"model":"claude-haiku-4-5","max_tokens":10,"stream":true,"messages":[]${more}}`));
const facts = readBody();
const BEGIN: CallBegin = {
  callId: 'call_1',
  workspaceId: 'ws_default',
  keyId: 'key_1',
  provider: 'anthropic',
  operation: 'messages',
  requestedModel: facts.model,
  stream: true,
  tags: {},
  sessionHash: null,
  context: NO_CONTEXT,
  shortenedTo: null,
  startedAt: NOW,
  hold: { usd: 0, inputTokens: 0, outputTokens: 0 },
  touched: [],
};

const KEY = { policy: OPEN_POLICY } as GatewayKey;

const server = createServer().listen(0, '127.0.0.1');
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

/** $1 per million tokens. */
const CARD: RateCard = {
  provider: 'openai',
  model: 'gpt',
  from: null,
  until: null,
  tiers: [{ above: -1, rates: { input: 1_000_000, output: 1_000_000 } }],
  speeds: {},
  tierMultipliers: {},
  geoMultipliers: {},
  fees: {},
  contextWindow: null,
  version: 'test',
  source: 'test',
};

const SUBJECT = { workspaceId: 'ws', keyId: 'key', provider: 'anthropic', model: 'm', pricedModel: null, tags: {} };

/** A call whose client waits on a real connection and whose provider is the test. */
async function beginCall(
  limits: readonly Limit[] = [],
  asked = facts,
  provider: Provider = anthropic,
  streamCost: StreamCostForm | null = null,
) {
  if (!server.listening) await once(server, 'listening');
  const client = request({ port: (server.address() as AddressInfo).port, agent: false });
  client.on('error', () => {});
  const answered = new Promise<IncomingMessage>((resolve) => void client.once('response', resolve));
  client.end();
  const [, res] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  const { journal, entries } = createMemoryJournal();
  const note = vi.spyOn(journal, 'note');
  const ledger = new LimitsEngine({ crossed: () => {}, overran: () => {} });
  ledger.load(limits, [], 0);
  const hold = ledger.admit(SUBJECT, ledger.findCounters(SUBJECT, 0), BEGIN.hold, 0) as Hold;
  const connectionEnded = vi.fn<() => void>();
  const ended = new Promise<void>((resolve) => {
    const callLimits = { callMsMax: 1_000, drainMsMax: 100, drainNanoUsdMax: 1 };
    call = new ProxiedCall(
      {
        journal,
        engine: ledger,
        prices: { resolve: () => (streamCost ? CARD : null), contracts: new ContractBook() },
        now: () => 0,
        uptime: () => 0,
        limits: callLimits,
        log: silentLog,
        rates: { look: () => {} },
        ended: () => resolve(),
      },
      { res, provider, key: KEY, facts: asked, streamCost, bodyBytes: 2, releaseBody: () => {} },
      BEGIN,
      { hold },
      { end: connectionEnded },
    );
  });
  const dispatch = vi.fn<Dispatcher['dispatch']>(() => true);
  const pool = { dispatch } as unknown as Dispatcher;
  await new Promise((resolve) => {
    call.writeBegin((failure) => {
      call.dispatch(pool, { path: '/', method: 'POST' });
      resolve(failure);
    });
  });
  return { call, client, answered, entries, ended, pool, res, note, connectionEnded };
}
let call: ProxiedCall;

function controller() {
  return { pause: vi.fn<() => void>(), resume: vi.fn<() => void>(), abort: vi.fn<(reason: Error) => void>() };
}

test('a call that times out while it waits for a connection was not sent, and its client gets an error', async () => {
  const { answered, entries, ended, connectionEnded } = await beginCall();
  call.sweep(1_000);
  await ended;
  const answer = await answered;
  answer.resume();
  expect(answer.statusCode).toBe(502);
  expect(entries()).toMatchObject([{ outcome: 'not_sent', uncertainReason: null }]);
  const late = controller();
  call.onRequestStart(late as unknown as Dispatcher.DispatchController);
  expect(late.abort).toHaveBeenCalledOnce();
  // The call is settled, and its connection still in use.
  expect(connectionEnded).not.toHaveBeenCalled();
  call.onResponseError(null, new Error('aborted'));
  expect(connectionEnded).toHaveBeenCalledOnce();
});

test('a client that disconnects while its call waits for a connection ends it immediately: nothing was sent or is held', async () => {
  const { client, entries, ended, pool, connectionEnded } = await beginCall();
  client.destroy();
  await ended;
  expect(entries()).toMatchObject([{ outcome: 'not_sent', uncertainReason: null }]);
  expect(call.dispatch(pool, { path: '/', method: 'POST' })).toBe(false);
  expect(connectionEnded).toHaveBeenCalledOnce();
  const late = controller();
  call.onRequestStart(late as unknown as Dispatcher.DispatchController);
  expect(late.abort).toHaveBeenCalledOnce();
});

test('a provider is resumed only after its last part is decoded, also if the client disconnects meanwhile', async () => {
  await beginCall();
  const provided = controller();
  const resumed = new Promise<void>((resolve) => provided.resume.mockImplementation(resolve));
  const handle = provided as unknown as Dispatcher.DispatchController;
  call.onRequestStart(handle);
  call.onResponseStart(handle, 200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
  call.onResponseData(handle, gzipSync(': a comment\n\n'));
  call.clientLeft();
  expect(provided.resume).not.toHaveBeenCalled();
  await resumed;
  expect(provided.resume).toHaveBeenCalledOnce();
});

test('a stream that the provider breaks off after its last event reaches its client in full', async () => {
  const { answered, entries, ended } = await beginCall();
  const handle = controller() as unknown as Dispatcher.DispatchController;
  call.onRequestStart(handle);
  call.onResponseStart(handle, 200, { 'content-type': 'text/event-stream' });
  const last = 'event: message_stop\ndata: {"type":"message_stop"}\n\n';
  call.onResponseData(handle, Buffer.from(last));
  call.onResponseError(handle, new Error('reset'));
  await ended;
  expect(await text(await answered)).toBe(last);
  expect(entries()).toHaveLength(1);
});

test('the cost that a client asks for is in a stream that is settled before its last event has come whole', async () => {
  const chat = openai.route('POST', '/v1/chat/completions') as InferenceRoute;
  const asked = chat.readRequest(Buffer.from('{"model":"gpt","max_tokens":9,"stream":true,"messages":[]}'));
  const usage = 'data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":1}}\n\n';
  const done = 'data: [DONE]\n\n';
  for (let cut = 0; cut <= done.length; cut++) {
    const { answered, ended, entries } = await beginCall([], asked, openai, 'last_chunk');
    const handle = controller() as unknown as Dispatcher.DispatchController;
    call.onRequestStart(handle);
    call.onResponseStart(handle, 200, { 'content-type': 'text/event-stream' });
    call.onResponseData(handle, Buffer.from(usage + done.slice(0, cut)));
    if (cut >= done.trimEnd().length) await ended;
    call.onResponseData(handle, Buffer.from(done.slice(cut)));
    call.onResponseEnd();
    const answer = await text(await answered);
    expect(answer).toContain('"svc_cost_usd":0.000006');
    expect(answer.endsWith(`\n\n${done}`)).toBe(true);
    expect(entries()).toMatchObject([{ cost: 6_000 }]);
  }
});

test('a client that disconnects after the terminal event releases a paused provider', async () => {
  const { client, answered, ended, res } = await beginCall();
  const provided = controller();
  const handle = provided as unknown as Dispatcher.DispatchController;
  call.onRequestStart(handle);
  call.onResponseStart(handle, 200, { 'content-type': 'text/event-stream' });
  call.onResponseData(handle, Buffer.from('event: message_stop\ndata: {"type":"message_stop"}\n\n'));
  await ended;
  (await answered).pause();
  call.onResponseData(handle, Buffer.alloc(8_388_608, ':'));
  expect(provided.pause).toHaveBeenCalledOnce();
  expect(provided.resume).not.toHaveBeenCalled();
  client.destroy();
  await once(res, 'close');
  expect(provided.resume).toHaveBeenCalledOnce();
});

const ANY_LIMIT: Limit = {
  id: 'lim_1',
  counter: 1,
  workspaceId: SUBJECT.workspaceId,
  scope: { kind: 'workspace' },
  unit: 'calls',
  amount: 100,
  raise: null,
  window: 'total',
  action: 'block',
  thresholds: [],
  uncertain: 'keep',
  label: null,
  countsObserved: false,
  zones: [{ zone: 'UTC', since: 0 }],
  countsPast: true,
};

test.each([
  ['is cut where a limit holds it', [ANY_LIMIT], 1],
  ['goes on where none does', [], 0],
])('a stream that reports more usage than was held %s', async (_what, limits, cuts) => {
  const { client, ended } = await beginCall(limits);
  const provided = controller();
  const handle = provided as unknown as Dispatcher.DispatchController;
  call.onRequestStart(handle);
  call.onResponseStart(handle, 200, { 'content-type': 'text/event-stream' });
  call.onResponseData(
    handle,
    Buffer.from(
      'event: message_start\ndata: {"type":"message_start","message":{"id":"m","model":"claude-haiku-4-5","usage":{"input_tokens":1,"output_tokens":9999}}}\n\n',
    ),
  );
  call.onResponseData(handle, Buffer.from(': more\n\n'));
  expect(provided.abort).toHaveBeenCalledTimes(cuts);
  client.destroy();
  call.onResponseError(handle, new Error('over'));
  await ended;
});

test.each([
  ['is noted', '', 1],
  [
    'is not the whole input where tools of the provider go on from it',
    ',"tools":[{"type":"web_search_20250305","max_uses":1}]',
    0,
  ],
  ['is not the whole input where nothing bounds its tools', ',"tools":[{"type":"web_search_20250305"}]', 0],
  ['is not the whole input where another model may answer', ',"fallbacks":[{"model":"claude-opus-4-8"}]', 0],
])('the prompt usage that a stream reports first %s', async (_name, more, times) => {
  const { note } = await beginCall([], readBody(more));
  const handle = controller() as unknown as Dispatcher.DispatchController;
  call.onRequestStart(handle);
  call.onResponseStart(handle, 200, { 'content-type': 'text/event-stream' });
  const usage = '{"input_tokens":5,"output_tokens":1}';
  call.onResponseData(
    handle,
    Buffer.from(`event: message_start\ndata: {"type":"message_start","message":{"usage":${usage}}}\n\n`),
  );
  expect(note).toHaveBeenCalledTimes(times);
});

test.each([
  ['https://name.openai.azure.com', 'broken', 'error_event'],
  ['https://api.openai.com', 'failed', null],
])('a prompt that a content filter refuses at %s ends as %s', async (url, outcome, uncertainReason) => {
  const hosted = buildProviders({ urls: { openai: url }, custom: [] }).get('openai')!;
  const chat = hosted.route('POST', '/v1/chat/completions') as InferenceRoute;
  const asked = chat.readRequest(Buffer.from('{"model":"gpt-5","messages":[]}'));
  const { answered, entries, ended } = await beginCall([], asked, hosted);
  const upstream = controller() as unknown as Dispatcher.DispatchController;
  call.onRequestStart(upstream);
  call.onResponseStart(upstream, 400, { 'content-type': 'application/json' });
  call.onResponseData(upstream, Buffer.from('{"error":{"code":"content_filter","message":"It says: my prompt"}}'));
  call.onResponseEnd();
  await ended;
  (await answered).resume();
  expect(entries()).toMatchObject([{ outcome, uncertainReason, status: 400, errorType: 'content_filter' }]);
  expect(JSON.stringify(entries())).not.toContain('my prompt');
});
