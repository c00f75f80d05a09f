import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { entryOf } from '../../../test/support/arbitrary-entry.ts';
import type { Entry } from '../../domain/usage/call.ts';
import { NO_CONTEXT } from '../../domain/usage/call-context.ts';
import { NO_TERMS } from '../../domain/usage/usage.ts';
import type { ExportTarget } from '../../domain/telemetry/export-settings.ts';
import type { Scheduler } from '../../lib/clock.ts';
import type { SendRequest, SendResult } from '../../lib/http/guarded-exchange.ts';
import { createLog } from '../../lib/log.ts';
import type { CallMetrics } from './call-metrics.ts';
import type { CallSpan } from './call-span.ts';
import { CallExporter, type CallExporterOptions } from './call-exporter.ts';
import type { KeyValue } from './message.ts';
import { SignalSender } from './signal-sender.ts';

const TARGET: ExportTarget = {
  url: 'http://collector.example/v1/traces',
  headers: { authorization: 'Bearer hush' },
  protocol: 'http/json',
  compression: 'none',
  timeoutMs: 1,
  certificateFile: null,
};
const START = Date.parse('2026-03-15T12:00:00Z');
const QUEUE_MAX = 600;

const answer = (status: number, body = '', headers: Record<string, string> = {}): SendResult => ({
  ok: true,
  status,
  headers,
  body,
  bytes: Buffer.from(body),
});

let requests: SendRequest[];
let answers: (SendResult | Promise<SendResult>)[];
let timers: { act: () => void; ms: number }[];
let logged: string[];
/** Requests end only when they are ended from here. */
let isHanging: boolean;

beforeEach(() => {
  requests = [];
  answers = [];
  timers = [];
  logged = [];
  isHanging = false;
});

const scheduler: Scheduler = {
  soon: (act) => queueMicrotask(act),
  later(act, ms) {
    const timer = { act, ms };
    timers.push(timer);
    return () => void (timers = timers.filter((other) => other !== timer));
  },
};

async function untilAborted({ signal }: SendRequest): Promise<SendResult> {
  await new Promise((resolve) => signal?.addEventListener('abort', resolve));
  return { ok: false, reason: 'timeout', message: 'It took too long.', status: null };
}

function senderOf(signal: 'traces' | 'metrics', target: Partial<ExportTarget> = {}): SignalSender {
  const send = (request: SendRequest): Promise<SendResult> => {
    requests.push(request);
    if (isHanging) return untilAborted(request);
    return Promise.resolve(answers.shift() ?? answer(200));
  };
  return new SignalSender({ signal, target: { ...TARGET, ...target }, sender: { send }, scheduler });
}

function openExporter(settings: Partial<CallExporterOptions['settings']> = {}, target: Partial<ExportTarget> = {}) {
  return new CallExporter({
    settings: {
      resource: { 'service.name': 'tollbook' },
      isExperimental: false,
      temporality: 'cumulative',
      metricsEveryMs: 60_000,
      ...settings,
    },
    version: '1.2.3',
    senders: { traces: senderOf('traces', target), metrics: senderOf('metrics') },
    clock: () => START + 60_000,
    scheduler,
    log: createLog({ level: 'info', destination: { write: (line) => void logged.push(line) } }),
    queueMax: QUEUE_MAX,
  });
}

const calls = (count: number, changes: Partial<Entry> = {}): Entry[] =>
  Array.from({ length: count }, (_, index) => entryOf(`call_${index}`, changes));

/** Runs what is due after so many ms. */
async function fire(ms: number): Promise<void> {
  const due = timers.filter((timer) => timer.ms === ms);
  timers = timers.filter((timer) => timer.ms !== ms);
  for (const { act } of due) act();
  await settled();
}

/** Waits for everything that needs no timer. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
}

type CallMetric = ReturnType<CallMetrics['collect']>[number];

function sentSpans(): CallSpan[] {
  return requests.flatMap(({ body }) => {
    const { resourceSpans } = JSON.parse(Buffer.from(body).toString()) as {
      resourceSpans?: { scopeSpans: { spans: CallSpan[] }[] }[];
    };
    return resourceSpans?.[0]?.scopeSpans[0]?.spans ?? [];
  });
}

function sentMetrics(): Record<string, CallMetric> {
  const metrics = requests.flatMap(({ body }) => {
    const { resourceMetrics } = JSON.parse(Buffer.from(body).toString()) as {
      resourceMetrics?: { scopeMetrics: { metrics: CallMetric[] }[] }[];
    };
    return resourceMetrics?.[0]?.scopeMetrics[0]?.metrics ?? [];
  });
  return Object.fromEntries(metrics.map((one) => [one.name, one]));
}

const pointsOf = (name: string) => sentMetrics()[name]?.histogram.dataPoints ?? [];
const valuesOf = (list: readonly KeyValue[] = []): Record<string, unknown> =>
  Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]));

describe('a call', () => {
  const TRACE = '0af7651916cd43dd8448eb211c80319c';

  test('is a client span with the names of the conventions', async () => {
    const exporter = openExporter();
    const usage = {
      inferences: [{ model: null, tokens: { input: 7, cacheRead: 20, cacheWrite5m: 3, output: 11 }, promptTokens: 30 }],
      uses: {},
      thinking: 4,
      terms: NO_TERMS,
    };
    exporter.record([
      entryOf('call_x', {
        operation: 'messages',
        provider: 'google',
        requestedModel: 'claude-x',
        model: 'claude-x-1',
        stream: true,
        firstByteMs: 250,
        startedAt: START,
        endedAt: START + 1_500,
        status: 200,
        outcome: 'completed',
        responseId: 'msg_1',
        tags: { team: 'a' },
        usage,
        context: { ...NO_CONTEXT, session: 's', agent: 'a', parentSpan: `${TRACE}-b7ad6b7169203331-01` },
      }),
    ]);
    await fire(5_000);
    const [span] = sentSpans();
    expect(span).toMatchObject({
      traceId: TRACE,
      spanId: expect.stringMatching(/^[\da-f]{16}$/),
      parentSpanId: 'b7ad6b7169203331',
      name: 'chat claude-x',
      kind: 3,
      startTimeUnixNano: `${START}000000`,
      endTimeUnixNano: `${START + 1_500}000000`,
      status: {},
      flags: 0x301,
    });
    expect(valuesOf(span?.attributes)).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'gcp.gemini',
      'gen_ai.request.model': 'claude-x',
      'gen_ai.response.model': 'claude-x-1',
      'gen_ai.response.id': 'msg_1',
      'gen_ai.conversation.id': 's',
      'gen_ai.agent.id': 'a',
      'gen_ai.request.stream': true,
      'gen_ai.response.time_to_first_chunk': 0.25,
      'http.response.status_code': '200',
      'gen_ai.usage.input_tokens': '30',
      'gen_ai.usage.output_tokens': '11',
      'gen_ai.usage.cache_read.input_tokens': '20',
      'gen_ai.usage.cache_creation.input_tokens': '3',
      'gen_ai.usage.reasoning.output_tokens': '4',
      'tollbook.call.id': 'call_x',
      'tollbook.workspace.id': 'ws_default',
      'tollbook.key.id': 'key_1',
      'tollbook.tag.team': 'a',
    });
  });

  test('has its cost only with the experimental conventions, and never an unknown one', async () => {
    openExporter().record(calls(1, { cost: 1_234_567 }));
    const exporter = openExporter({ isExperimental: true });
    exporter.record([
      ...calls(1, { cost: 1_234_567, provenance: { from: 'price', versions: ['tollbook/m#1'] } }),
      entryOf('unpriced', { cost: null, uncertainReason: 'no_price', provenance: null }),
    ]);
    await fire(5_000);
    const costs = sentSpans().map((span) => {
      const values = valuesOf(span.attributes);
      return Object.entries(values).filter(([name]) => /cost|price|uncertain/.test(name));
    });
    expect(costs).toEqual([
      [],
      [
        ['gen_ai.usage.cost.amount', 0.001234567],
        ['gen_ai.usage.cost.currency', 'USD'],
        ['gen_ai.usage.cost.source', 'local'],
        ['tollbook.price_version', 'tollbook/m#1'],
      ],
      [['tollbook.uncertain_reason', 'no_price']],
    ]);
    await fire(60_000);
    expect(pointsOf('gen_ai.client.operation.cost')).toMatchObject([{ count: '1', sum: 0.001234567 }]);
  });

  test.each([
    [{ status: 529, outcome: 'failed' as const }, '529'],
    [{ status: 200, outcome: 'client_left' as const }, 'client_left'],
    [{ status: 0, outcome: 'not_sent' as const, usage: null }, 'not_sent'],
  ])('that failed says how: %j', async (changes, error) => {
    openExporter().record(calls(1, changes));
    await fire(5_000);
    const [span] = sentSpans();
    expect(span?.status).toEqual({ code: 2 });
    expect(valuesOf(span?.attributes)).toMatchObject({ 'error.type': error });
  });

  test('of a trace that is not sampled has no span, and is in the metrics', async () => {
    openExporter().record(calls(1, { context: { ...NO_CONTEXT, parentSpan: `${TRACE}-b7ad6b7169203331-00` } }));
    await fire(5_000);
    expect(requests).toEqual([]);
    await fire(60_000);
    expect(Object.keys(sentMetrics())).toContain('gen_ai.client.operation.duration');
  });

  test('without a trace begins one, with equal ids each time', async () => {
    for (const _ of [1, 2]) openExporter().record(calls(1));
    await fire(5_000);
    const [first, second] = sentSpans();
    expect(first).toMatchObject({ traceId: expect.stringMatching(/^[\da-f]{32}$/), flags: 0x101 });
    expect(first).not.toHaveProperty('parentSpanId');
    expect(second).toEqual(first);
  });
});

describe('metrics', () => {
  test('are histograms by operation, provider and model, with bounds of the conventions', async () => {
    const exporter = openExporter();
    const tokens = (input: number, output: number) => ({
      inferences: [{ model: null, tokens: { input, output }, promptTokens: input }],
      uses: {},
      thinking: 0,
      terms: NO_TERMS,
    });
    const timed = { requestedModel: 'm', model: 'm', operation: 'messages', startedAt: START, stream: false };
    exporter.record([
      entryOf('a', { ...timed, usage: tokens(4, 5), endedAt: START + 1_000 }),
      entryOf('b', { ...timed, usage: tokens(5_000, 1), endedAt: START + 200_000 }),
      entryOf('c', { ...timed, usage: null, endedAt: START + 10, status: 429, outcome: 'failed' }),
    ]);
    await fire(60_000);
    const all = sentMetrics();
    expect(all['gen_ai.client.token.usage']).toMatchObject({
      unit: '{token}',
      histogram: { aggregationTemporality: 2 },
    });
    const [input, output] = pointsOf('gen_ai.client.token.usage');
    expect(input).toMatchObject({
      count: '2',
      sum: 5_004,
      explicitBounds: [1, 4, ...Array(12).fill(expect.anything())],
    });
    expect(input?.bucketCounts).toEqual(['0', '1', '0', '0', '0', '0', '0', '1', ...Array(7).fill('0')]);
    expect(valuesOf(input?.attributes)).toMatchObject({
      'gen_ai.token.type': 'input',
      'gen_ai.request.model': 'm',
    });
    expect(output).toMatchObject({ count: '2', sum: 6 });
    expect(pointsOf('gen_ai.client.operation.duration').map(({ count, sum }) => [count, sum])).toEqual([
      ['2', 201],
      ['1', 0.01],
    ]);
    expect(valuesOf(pointsOf('gen_ai.client.operation.duration')[1]?.attributes)).toMatchObject({
      'error.type': '429',
    });
  });

  test.each([
    ['cumulative', '2'],
    ['delta', '1'],
  ] as const)('that are %s say so in their counts', async (temporality, count) => {
    const exporter = openExporter({ temporality });
    exporter.record(calls(1));
    await fire(60_000);
    exporter.record(calls(1));
    requests = [];
    await fire(60_000);
    expect(pointsOf('gen_ai.client.operation.duration')[0]).toMatchObject({ count });
  });

  test('of more models than are kept apart are summed in one', async () => {
    const exporter = openExporter();
    for (let model = 0; model < 2_010; model += 1) exporter.record(calls(1, { requestedModel: `m${model}` }));
    await fire(60_000);
    const points = pointsOf('gen_ai.client.operation.duration');
    expect(points).toHaveLength(2_001);
    expect(points.at(-1)).toMatchObject({ count: '10' });
    expect(valuesOf(points.at(-1)?.attributes)).toEqual({ 'otel.metric.overflow': true });
  });
});

describe('a receiver', () => {
  test('that does not answer holds up nothing: what finds the queue full is dropped and counted', async () => {
    const hanging = Promise.withResolvers<SendResult>();
    answers = [hanging.promise];
    const exporter = openExporter();
    exporter.record(calls(256));
    exporter.record(calls(QUEUE_MAX + 50));
    await settled();
    expect(requests).toHaveLength(1);
    expect(exporter.counts.traces).toEqual({ sent: 0, queue_full: 50, rejected: 0, unreachable: 0 });
    hanging.resolve(answer(200));
    await settled();
    expect(exporter.counts.traces).toMatchObject({ sent: 256 + QUEUE_MAX, queue_full: 50 });
  });

  test('that is away is asked five times, with growing waits, then the calls are dropped and counted', async () => {
    answers = Array.from({ length: 5 }, () => answer(503));
    const exporter = openExporter();
    exporter.record(calls(3));
    await fire(5_000);
    for (const ms of [1_000, 2_000, 4_000, 8_000]) await fire(ms);
    expect(requests).toHaveLength(5);
    expect(exporter.counts.traces).toEqual({ sent: 0, queue_full: 0, rejected: 0, unreachable: 3 });
    exporter.record(calls(1));
    await fire(5_000);
    expect(exporter.counts.traces).toMatchObject({ sent: 1 });
    expect(logged.filter((line) => line.includes('could not be exported'))).toHaveLength(1);
    expect(logged.filter((line) => line.includes('are exported again'))).toHaveLength(1);
  });

  test('that asks for a wait gets it, up to half a minute', async () => {
    answers = [answer(429, '', { 'retry-after': '3' }), answer(429, '', { 'retry-after': '9000' })];
    const exporter = openExporter();
    exporter.record(calls(1));
    await fire(5_000);
    await fire(3_000);
    await fire(30_000);
    expect(exporter.counts.traces).toMatchObject({ sent: 1 });
  });

  test.each([
    [answer(400), 1],
    [answer(401), 1],
    [{ ok: false, reason: 'blocked', message: 'It is not allowed.', status: null } as const, 1],
  ])('that refuses is not asked again (%#)', async (refusal, attempts) => {
    answers = [refusal];
    const exporter = openExporter();
    exporter.record(calls(2));
    await fire(5_000);
    expect(requests).toHaveLength(attempts);
    expect(exporter.counts.traces).toMatchObject({ rejected: 2, sent: 0 });
    expect(logged.join('')).not.toContain('hush');
  });

  test('that takes a part says how many it refused', async () => {
    answers = [answer(200, '{"partialSuccess":{"rejectedSpans":"2"}}')];
    const exporter = openExporter();
    exporter.record(calls(3));
    await fire(5_000);
    expect(exporter.counts.traces).toMatchObject({ sent: 1, rejected: 2 });
    const protobuf = openExporter({}, { protocol: 'http/protobuf' });
    // A partial success of 300, an odd text, and none.
    for (const body of ['0a03 08ac02', 'ffff', '']) {
      answers = [{ ...answer(200), bytes: Buffer.from(body.replace(' ', ''), 'hex') } as SendResult];
      protobuf.record(calls(400));
      await fire(5_000);
      await settled();
    }
    expect(protobuf.counts.traces.rejected).toBe(256);
  });

  test('gets gzip where that is set', async () => {
    const exporter = openExporter({}, { compression: 'gzip' });
    exporter.record(calls(2));
    await fire(5_000);
    await expect.poll(() => requests.length).toBe(1);
    expect(requests[0]?.headers).toMatchObject({ 'content-encoding': 'gzip', authorization: 'Bearer hush' });
    requests = requests.map((one) => Object.assign(one, { body: gunzipSync(one.body) }));
    expect(sentSpans()).toHaveLength(2);
  });
});

describe('a close', () => {
  test('sends the rest once', async () => {
    answers = [answer(503), answer(503)];
    const exporter = openExporter();
    exporter.record(calls(2));
    await exporter.close();
    expect(requests).toHaveLength(2);
    expect(exporter.counts.traces).toMatchObject({ unreachable: 2 });
    expect(timers).toEqual([]);
  });

  test('does not wait for a receiver that hangs', async () => {
    isHanging = true;
    const exporter = openExporter();
    exporter.record(calls(300));
    const closed = exporter.close();
    await settled();
    await fire(3_000);
    await closed;
    expect(requests.map(({ signal }) => signal?.aborted)).toEqual([true, true]);
  });
});
