import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import { LIMITS } from '../config.ts';
import type { ObservedCallShape } from '../contract/observed.ts';
import { sessionText } from '../domain/sessions/local-call.ts';
import { NO_TERMS } from '../domain/usage/usage.ts';
import { DAY_MS, MINUTE_MS } from '../domain/time/units.ts';
import type { UsageSummary } from '../contract/usage.ts';

const fixture = (name: string): Buffer => readFileSync(new URL(`../telemetry/fixtures/${name}`, import.meta.url));
/** Telemetry of a run of Claude Code 2.1.197 with two requests, which the provider billed with these amounts. */
const LOGS = fixture('claude-code-logs.json');
const TRACES = fixture('claude-code-traces.json');
const BILL_USD = 0.030725 + 0.0319245;
const SENT_AT = Date.parse('2026-11-23T17:00:00Z');
const SESSION = hash('sha256', sessionText('claude_code', '77a026ab-b9d0-49d8-adf3-c462bb087b44'));

let it: TestLedger;
let token: string;

beforeEach(async () => {
  it = await openTestLedger();
  it.time.now = SENT_AT;
  token = await it.createToken(['otlp:write']);
});
afterEach(() => it.close());

async function send(path: string, body: Uint8Array<ArrayBuffer> | string, headers: Record<string, string> = {}) {
  const request = new Request(`http://tollbook${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers },
    body,
  });
  return await it.ledger.fetch(request, { caller: 'public' });
}

async function sendJson(path: string, body: unknown): Promise<Response> {
  return await send(path, JSON.stringify(body));
}

async function summary(): Promise<UsageSummary> {
  return await it.json('/api/mcp/usage/summary');
}

async function observed(): Promise<ObservedCallShape[]> {
  return (await it.call('GET /api/mcp/observed-calls')).calls;
}

type Attributes = Readonly<Record<string, string | number | boolean>>;

function attributeList(attributes: Attributes): unknown {
  const value = (one: string | number | boolean): unknown =>
    typeof one === 'string' ? { stringValue: one } : typeof one === 'number' ? { intValue: one } : { boolValue: one };
  return Object.entries(attributes).map(([key, one]) => ({ key, value: value(one) }));
}

/** A request of log records with these attributes. */
function logsOf(service: string, ...records: readonly Attributes[]): unknown {
  const logRecords = records.map((one, index) => ({
    timeUnixNano: `${BigInt(SENT_AT - MINUTE_MS + index) * 1_000_000n}`,
    attributes: attributeList(one),
    body: { stringValue: 'SECRET-CANARY in the body' },
  }));
  const resource = { attributes: attributeList({ 'service.name': service }) };
  return { resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] };
}

/** A request of a span of one second with these attributes. */
function spanOf(service: string, attributes: Attributes): unknown {
  const startedAt = BigInt(SENT_AT - MINUTE_MS);
  const span = {
    name: 'chat',
    startTimeUnixNano: `${startedAt * 1_000_000n}`,
    endTimeUnixNano: `${(startedAt + 1_000n) * 1_000_000n}`,
    attributes: attributeList(attributes),
  };
  const resource = { attributes: attributeList({ 'service.name': service }) };
  return { resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] };
}

describe('telemetry of Claude Code', () => {
  test.each([
    ['JSON', LOGS, {}],
    ['JSON with gzip', gzipSync(LOGS), { 'content-encoding': 'gzip' }],
  ])('as %s is in the usage summary at the amount of the bill', async (_, body, headers) => {
    const answer = await send('/v1/logs', new Uint8Array(body), headers);
    expect([answer.status, await answer.json()]).toEqual([200, {}]);
    const { totalCost, totalCalls, byProvider } = await summary();
    expect({ totalCost, totalCalls }).toEqual({ totalCost: BILL_USD, totalCalls: 2 });
    expect(byProvider).toEqual({ anthropic: { cost: BILL_USD, calls: 2 } });
  });

  test('as protobuf is read like JSON', async () => {
    const body = new Uint8Array(fixture('claude-code-logs.pb'));
    const answer = await send('/otlp/v1/logs', body, { 'content-type': 'application/x-protobuf' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/x-protobuf');
    expect((await answer.arrayBuffer()).byteLength).toBe(0);
    expect(await summary()).toMatchObject({ totalCost: BILL_USD, totalCalls: 2 });
  });

  test('counts once with its traces, however often both are sent', async () => {
    for (const [path, body] of [
      ['/v1/traces', TRACES],
      ['/v1/logs', LOGS],
      ['/v1/traces', TRACES],
      ['/v1/logs', LOGS],
    ] as const)
      expect((await send(path, new Uint8Array(body))).status).toBe(200);
    expect(await summary()).toMatchObject({ totalCost: BILL_USD, totalCalls: 2 });
    expect((await observed()).map(({ signal, state }) => `${signal} ${state}`).toSorted()).toEqual([
      'log counted',
      'log counted',
      'span repeated',
      'span repeated',
    ]);
  });

  test('is shown with the agent that its spans name', async () => {
    await send('/v1/logs', new Uint8Array(LOGS));
    const named = TRACES.toString()
      .replaceAll('"key": "speed"', '"key": "agent_id"')
      .replaceAll('"normal"', '"reviewer"');
    await send('/v1/traces', named);
    const counted = (await observed()).filter(({ state }) => state === 'counted');
    expect(counted.map(({ agent, requestClass }) => [agent, requestClass])).toEqual([
      ['reviewer', 'sdk'],
      ['reviewer', 'sdk'],
    ]);
  });

  test('of calls through the gateway adds nothing, whichever arrives first', async () => {
    const proxied = (id: string, requestId: string) =>
      it.entry({
        callId: id,
        requestId,
        sessionHash: SESSION,
        startedAt: SENT_AT - 94 * MINUTE_MS,
        cost: 1_000_000_000,
      });
    await it.ship([proxied('first', 'req_011esZtydJb6XHVv0000001')]);
    await send('/v1/logs', new Uint8Array(LOGS));
    expect(await summary()).toMatchObject({ totalCost: 1.0319245, totalCalls: 2 });
    await it.ship([proxied('second', 'req_011esZtydJb6XHVv0000004')]);
    expect(await summary()).toMatchObject({ totalCost: 2, totalCalls: 2 });
    const [late, early] = await observed();
    expect(early).toMatchObject({ state: 'joined', figuresOf: 'first', joinedBy: 'provider_id', adjustments: [] });
    expect(late).toMatchObject({ state: 'joined', figuresOf: 'second', joinedBy: 'provider_id' });
    const { entries } = await it.call('GET /api/mcp/entries', { query: { startDate: '2026-11-20' } });
    expect(entries.map(({ id, observedBy }) => [id, observedBy])).toEqual([
      ['second', ['telemetry']],
      ['first', ['telemetry']],
    ]);
    const { observations } = await it.call('GET /api/mcp/entries/{callId}', { params: { callId: 'first' } });
    expect(observations).toEqual([early]);
    expect(late?.adjustments).toMatchObject([{ costBefore: 0.0319245, costAfter: 0, reason: 'gateway' }]);
  });

  test('is the usage of the token, in its session', async () => {
    await send('/v1/logs', new Uint8Array(LOGS));
    expect((await observed())[0]).toMatchObject({
      assistant: 'claude_code',
      provider: 'anthropic',
      model: 'claude-opus-4-8',
      session: SESSION,
      requestClass: 'sdk',
      inputTokens: 19_899,
      outputTokens: 50,
      cacheReadTokens: 17_599,
      cacheCreationTokens: 2_300,
      cost: 0.0319245,
    });
  });
});

/** Returns the contents of all files of the ledger. */
function readStoredFiles(): string[] {
  const files = readdirSync(it.folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'));
}

describe('the receiver', () => {
  const CANARY = 'SECRET-CANARY';
  /** Prompts, answers and tool inputs in every place that a client may put them. */
  const gossip = (name: string) =>
    logsOf('gemini-cli', {
      'event.name': name,
      model: 'gemini-2.5-pro',
      input_token_count: 10,
      output_token_count: 1,
      prompt: CANARY,
      request_text: CANARY,
      response_text: CANARY,
      function_args: CANARY,
      'gen_ai.input.messages': CANARY,
      'user.email': 'ada-CANARY@example.com',
    });

  test('keeps no contents: not in files, logs or answers', async () => {
    const owner = await it.createToken(['admin']);
    const answers = [
      await sendJson('/v1/logs', gossip('gemini_cli.api_response')),
      await sendJson('/v1/logs', gossip('gemini_cli.user_prompt')),
      await sendJson('/v1/logs', { resourceLogs: CANARY }),
      await send('/v1/logs', `{"${CANARY}": `),
      await send('/v1/traces', CANARY, { 'content-type': 'application/x-protobuf' }),
      await send('/v1/logs', CANARY, { 'content-encoding': 'gzip' }),
      await it.ask('/api/mcp/observed-calls', { token: owner }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 400, 400, 400, 200]);
    const texts = await Promise.all(answers.map((one) => one.text()));
    expect(await summary()).toMatchObject({ totalCalls: 1 });
    const contents = readStoredFiles();
    expect(contents.some((one) => one.includes('gemini-2.5-pro'))).toBe(true);
    expect([...texts, ...contents, ...it.logged].filter((one) => one.includes('CANARY'))).toEqual([]);
  });

  test('refuses other scopes, wrapped keys and strangers', async () => {
    const { key } = await it.createKey('wrapped');
    const reader = await it.createToken(['usage:read']);
    const statuses = [];
    for (const bad of [reader, key, 'svc_sk_unknown']) {
      token = bad;
      statuses.push((await send('/v1/logs', new Uint8Array(LOGS))).status);
    }
    expect(statuses).toEqual([403, 403, 401]);
    expect(await summary()).toMatchObject({ totalCalls: 0 });
  });

  test('refuses bodies that are too large, as sent or decompressed, and other forms', async () => {
    const large = gzipSync(Buffer.alloc(LIMITS.telemetryDecodedBytesMax + 1));
    const statuses = [
      await send('/v1/logs', 'x'.repeat(LIMITS.telemetryBodyBytesMax + 1)),
      await send('/v1/logs', new Uint8Array(large), { 'content-encoding': 'gzip' }),
      await send('/v1/logs', '{}', { 'content-encoding': 'zstd' }),
      await send('/v1/logs', '{}', { 'content-type': 'text/plain' }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([413, 413, 415, 415]);
  });

  test('answers 429 with Retry-After when too much is open, and takes it later', async () => {
    const held = Array.from({ length: LIMITS.telemetryRequestsMax }, () => Promise.withResolvers<void>());
    const open = held.map(({ promise }) => sendSlowly(promise));
    await expect.poll(async () => (await send('/v1/logs', new Uint8Array(LOGS))).status).toBe(429);
    const refused = await send('/v1/logs', new Uint8Array(LOGS));
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    for (const { resolve } of held) resolve();
    expect((await Promise.all(open)).map(({ status }) => status)).toEqual(held.map(() => 200));
    expect((await send('/v1/logs', new Uint8Array(LOGS))).status).toBe(200);
  });
});

/** Sends an empty batch whose body ends when a promise is resolved. */
async function sendSlowly(until: Promise<void>): Promise<Response> {
  const body = new ReadableStream({
    async pull(controller) {
      await until;
      controller.enqueue(new TextEncoder().encode('{}'));
      controller.close();
    },
  });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const init = { method: 'POST', headers, body, duplex: 'half' } as const;
  return await it.ledger.fetch(new Request('http://tollbook/v1/logs', init), { caller: 'public' });
}

describe('telemetry of other assistants', () => {
  test('of Codex counts each completed response once, at its price', async () => {
    expect((await send('/v1/logs', new Uint8Array(fixture('codex-logs.json')))).status).toBe(200);
    const usage = { totalInputTokens: 9_314 + 9_435, totalOutputTokens: 170, byProvider: { openai: { calls: 2 } } };
    expect(await summary()).toMatchObject({ totalCalls: 2, ...usage });
    expect(await observed()).toMatchObject([
      { assistant: 'codex', model: 'gpt-5', cacheReadTokens: 9_216, cost: 0.00227575 },
      { assistant: 'codex', model: 'gpt-5', cacheReadTokens: 0, cost: 0.0124925 },
    ]);
  });

  test('of Codex through the gateway is found by session, model, tokens and time', async () => {
    const session = hash('sha256', sessionText('codex', '01a20948-0e0c-7771-8f9e-27df51a1b7f5'));
    const at = Date.parse('2026-11-23T16:40:46Z');
    const tokens = { input: 9_314, output: 85 };
    const usage = {
      inferences: [{ model: null, tokens, promptTokens: 9_314 }],
      uses: {},
      thinking: 64,
      terms: NO_TERMS,
    };
    const place = { sessionHash: session, provider: 'openai', model: 'gpt-5-2025-08-07', requestedModel: 'gpt-5' };
    await it.ship([it.entry({ ...place, callId: 'first', startedAt: at, endedAt: at + 900, usage })]);
    await send('/v1/logs', new Uint8Array(fixture('codex-logs.json')));
    expect((await observed()).map(({ figuresOf, joinedBy }) => [figuresOf, joinedBy])).toEqual([
      [null, null],
      ['first', 'usage'],
    ]);
  });

  test('of Gemini CLI counts thoughts as output', async () => {
    await send('/v1/logs', new Uint8Array(fixture('gemini-cli-logs.json')));
    const usage = { totalInputTokens: 7_678 + 7_757, totalOutputTokens: 21 + 24 + 29 + 24 };
    expect(await summary()).toMatchObject({ totalCalls: 2, ...usage });
  });

  const COPILOT_CHAT = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'github',
    'gen_ai.request.model': 'claude-sonnet-4-5',
    'gen_ai.usage.input_tokens': 1_500,
    'gen_ai.usage.output_tokens': 250,
    'gen_ai.usage.cache_read.input_tokens': 1_000,
    'github.copilot.service_request_id': '06f3b9bd-f5bc-4cca-9b1d-000000000001',
  };

  test.each(['cache_creation', 'cache_write'])('of Copilot has the cache writes named %s', async (name) => {
    await sendJson(
      '/v1/traces',
      spanOf('copilot-chat', { ...COPILOT_CHAT, [`gen_ai.usage.${name}.input_tokens`]: 300 }),
    );
    expect(await observed()).toMatchObject([
      { assistant: 'copilot', inputTokens: 1_500, cacheReadTokens: 1_000, cacheCreationTokens: 300, outputTokens: 250 },
    ]);
  });

  test('of Copilot has an unknown cost, never 0, unless the provider of the model is named', async () => {
    await sendJson('/v1/traces', spanOf('copilot-chat', COPILOT_CHAT));
    const own = { 'gen_ai.provider.name': 'anthropic', 'github.copilot.service_request_id': 'another' };
    await sendJson('/v1/traces', spanOf('copilot-chat', { ...COPILOT_CHAT, ...own }));
    expect(Object.fromEntries((await observed()).map(({ provider, cost }) => [provider, cost]))).toEqual({
      github: null,
      anthropic: 0.00555,
    });
  });

  test('of Copilot is found by the id of the service for its request', async () => {
    const requestId = COPILOT_CHAT['github.copilot.service_request_id'];
    await it.ship([it.entry({ callId: 'first', requestId, startedAt: SENT_AT - MINUTE_MS })]);
    await sendJson('/v1/traces', spanOf('copilot-chat', COPILOT_CHAT));
    expect(await observed()).toMatchObject([{ state: 'joined', figuresOf: 'first', joinedBy: 'provider_id' }]);
  });
});

/** Expects no contents in an answer, the files of the ledger or its log. */
function expectNoCanary(text: string): void {
  expect([text, ...readStoredFiles(), ...it.logged].filter((one) => one.includes('CANARY'))).toEqual([]);
}

describe('metrics', () => {
  const metricOf = (name: string, sum: Readonly<Record<string, unknown>>) => ({
    resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name, sum: { isMonotonic: true, ...sum } }] }] }],
  });
  const nano = (at: number): string => `${at}000000`;
  const pointAt = (at: number, value: object, type = 'added') => ({
    startTimeUnixNano: nano(SENT_AT - DAY_MS),
    timeUnixNano: nano(at),
    attributes: attributeList({ type }),
    ...value,
  });
  const lines = async () => (await it.call('GET /api/mcp/observed-outcomes')).outcomes.map((one) => one.linesAdded);

  test('of Gemini CLI that count since their start count the growth of each day', async () => {
    const dataPoints = [
      pointAt(SENT_AT - DAY_MS, { asInt: '5' }),
      pointAt(SENT_AT, { asInt: '7' }),
      pointAt(SENT_AT - DAY_MS + MINUTE_MS, { asDouble: 6 }),
    ];
    const body = metricOf('gemini_cli.lines.changed', {
      aggregationTemporality: 'AGGREGATION_TEMPORALITY_CUMULATIVE',
      dataPoints,
    });
    const answers = [await sendJson('/v1/metrics', body), await sendJson('/v1/metrics', body)];
    expect(await Promise.all(answers.map((answer) => answer.json()))).toEqual([{}, {}]);
    expect(await lines()).toEqual([6, 1]);
  });

  test.each([
    ['gauges', { isMonotonic: false, aggregationTemporality: 2 }],
    ['sums without a temporality', {}],
  ])('that are %s are ignored', async (_, sum) => {
    const body = metricOf('gemini_cli.lines.changed', { dataPoints: [pointAt(SENT_AT, { asInt: 5 })], ...sum });
    expect(await (await sendJson('/v1/metrics', body)).json()).toEqual({});
    expect(await lines()).toEqual([]);
  });

  test('with a wrong count or an old time are rejected as a partial success', async () => {
    const dataPoints = [
      pointAt(SENT_AT, { asInt: '-5' }),
      pointAt(SENT_AT, { asDouble: 0.5 }),
      pointAt(SENT_AT - 31 * DAY_MS, { asInt: '5' }),
      pointAt(SENT_AT, { asInt: '8' }),
      pointAt(SENT_AT, { asInt: '1' }, 'of another kind'),
    ];
    const answer = await sendJson(
      '/v1/metrics',
      metricOf('gemini_cli.lines.changed', { aggregationTemporality: 1, dataPoints }),
    );
    expect(await answer.json()).toMatchObject({ partialSuccess: { rejectedDataPoints: '3' } });
    expect(await lines()).toEqual([8]);
  });
});

describe('exporters of the OpenTelemetry libraries', () => {
  const PROTOBUF = { 'content-type': 'application/x-protobuf' };
  const GZIP = { 'content-encoding': 'gzip' };
  /** Each was sent by the library: a chat with prompts in attributes, event and status, in the span of an agent. */
  const SENT = [
    ['Node, protobuf', 'node-traces.pb', PROTOBUF],
    ['Node, JSON with the old names', 'node-traces.json', {}],
    ['Node, JSON with gzip', 'node-traces.json.gz', GZIP],
    ['Python, protobuf', 'python-traces.pb', PROTOBUF],
    ['Python, protobuf with gzip', 'python-traces.pb.gz', { ...PROTOBUF, ...GZIP }],
    ['Go, protobuf', 'go-traces.pb', PROTOBUF],
    ['Go, protobuf with gzip', 'go-traces.pb.gz', { ...PROTOBUF, ...GZIP }],
  ] as const;

  test.each(SENT)('of %s: the call counts once, and its prompts are kept nowhere', async (_, name, headers) => {
    const sent = new Uint8Array(fixture(name));
    const plain = 'content-encoding' in headers ? gunzipSync(sent) : Buffer.from(sent);
    expect(plain.includes('CANARY-PROMPT')).toBe(true);
    const answers = [await send('/v1/traces', sent, headers), await send('/v1/traces', sent, headers)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const usage = { totalCalls: 1, totalCost: 0.0036, totalInputTokens: 1_200, totalOutputTokens: 300 };
    expect(await summary()).toMatchObject({ ...usage, byProvider: { openai: { calls: 1 } } });
    expect(await observed()).toMatchObject([{ model: 'gpt-5', cacheReadTokens: 800, state: 'counted' }]);
    expectNoCanary(JSON.stringify(await observed()));
  });

  /** A response of Gemini CLI, as each library sends it. */
  const LOGS_SENT = [
    ['Node, protobuf', 'node-logs.pb', PROTOBUF],
    ['Node, protobuf with gzip', 'node-logs.pb.gz', { ...PROTOBUF, ...GZIP }],
    ['Node, JSON', 'node-logs.json', {}],
    ['Node, JSON with gzip', 'node-logs.json.gz', GZIP],
    ['Python, protobuf', 'python-logs.pb', PROTOBUF],
    ['Python, protobuf with gzip', 'python-logs.pb.gz', { ...PROTOBUF, ...GZIP }],
    ['Go, protobuf', 'go-logs.pb', PROTOBUF],
    ['Go, protobuf with gzip', 'go-logs.pb.gz', { ...PROTOBUF, ...GZIP }],
  ] as const;

  test.each(LOGS_SENT)(
    'of %s: a log record counts once, and its contents are kept nowhere',
    async (_, name, headers) => {
      const sent = new Uint8Array(fixture(name));
      const plain = 'content-encoding' in headers ? gunzipSync(sent) : Buffer.from(sent);
      expect(plain.includes('CANARY-PROMPT')).toBe(true);
      const answers = [await send('/v1/logs', sent, headers), await send('/v1/logs', sent, headers)];
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(await summary()).toMatchObject({ totalCalls: 1, totalInputTokens: 1_200, totalOutputTokens: 300 });
      expect(await observed()).toMatchObject([
        { assistant: 'gemini_cli', model: 'gemini-2.5-pro', cacheReadTokens: 800 },
      ]);
      expectNoCanary(JSON.stringify(await observed()));
    },
  );

  /** Counters of Claude Code since their start (the first of each) and of what is new, as each library sends them. */
  const METRICS_SENT = [
    ['Node, protobuf', 'node-metrics.pb', PROTOBUF],
    ['Node, protobuf with gzip', 'node-metrics.pb.gz', { ...PROTOBUF, ...GZIP }],
    ['Node, JSON', 'node-metrics.json', {}],
    ['Node, JSON with gzip', 'node-metrics.json.gz', GZIP],
    ['Python, protobuf', 'python-metrics.pb', PROTOBUF],
    ['Python, protobuf with gzip', 'python-metrics.pb.gz', { ...PROTOBUF, ...GZIP }],
    ['Go, protobuf', 'go-metrics.pb', PROTOBUF],
    ['Go, protobuf with gzip', 'go-metrics.pb.gz', { ...PROTOBUF, ...GZIP }],
  ] as const;

  test.each(METRICS_SENT)('of %s: metrics are outcomes of a day and no calls', async (_, name, headers) => {
    const sent = new Uint8Array(fixture(name));
    const plain = 'content-encoding' in headers ? gunzipSync(sent) : Buffer.from(sent);
    expect(plain.includes('CANARY-PROMPT')).toBe(true);
    it.time.now = SENT_AT + DAY_MS;
    const answers = [await send('/v1/metrics', sent, headers), await send('/v1/metrics', sent, headers)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const { outcomes } = await it.call('GET /api/mcp/observed-outcomes');
    expect(outcomes).toEqual([
      {
        day: '2026-11-24',
        tokenId: expect.stringMatching(/^tok_/),
        assistant: 'claude_code',
        session: null,
        commits: 2,
        pullRequests: 1,
        linesAdded: 33,
        linesRemoved: 12,
        metricInputTokens: 1_200,
        metricOutputTokens: 300,
      },
    ]);
    expect(await summary()).toMatchObject({ totalCalls: 0 });
    expectNoCanary(JSON.stringify(outcomes));
  });

  test('send seven different calls, and all are counted', async () => {
    for (const [, name, headers] of SENT) await send('/v1/traces', new Uint8Array(fixture(name)), headers);
    expect(await summary()).toMatchObject({ totalCalls: SENT.length, totalCost: 0.0252 });
  });
});

describe('other telemetry', () => {
  test('a call with a wrong count is rejected as a partial success, and others are taken', async () => {
    const good = {
      'event.name': 'gemini_cli.api_response',
      model: 'gemini-2.5-pro',
      input_token_count: 10,
      output_token_count: 1,
    };
    const answer = await sendJson('/v1/logs', logsOf('gemini-cli', good, { ...good, input_token_count: -1 }));
    expect(await answer.json()).toMatchObject({ partialSuccess: { rejectedLogRecords: '1' } });
    expect(await summary()).toMatchObject({ totalCalls: 1, totalInputTokens: 10 });
  });

  test('a call without a count of its output is rejected, never counted with 0', async () => {
    const told = { 'event.name': 'gemini_cli.api_response', model: 'gemini-2.5-pro', input_token_count: 10 };
    const answer = await sendJson('/v1/logs', logsOf('gemini-cli', told));
    expect(await answer.json()).toMatchObject({ partialSuccess: { rejectedLogRecords: '1' } });
    expect(await summary()).toMatchObject({ totalCalls: 0 });
  });

  test('a call of more than 30 days ago is rejected', async () => {
    it.time.now = SENT_AT + 31 * DAY_MS;
    const answer = await send('/v1/logs', new Uint8Array(LOGS));
    expect(await answer.json()).toMatchObject({ partialSuccess: { rejectedLogRecords: '2' } });
    expect(await observed()).toEqual([]);
  });
});
