import { describe, expect, test } from 'vitest';
import { answerHead, readFacts, read, replay, type ResponseReading, sse } from '../contract/replay.ts';
import { anthropic } from './anthropic.ts';

/** An event of a stream. */
interface Event {
  readonly type: string;
  readonly [field: string]: unknown;
}

const REQUEST = { model: 'claude-opus-5', max_tokens: 64, messages: [{ role: 'user', content: 'Hi' }] };
const facts = readFacts(anthropic, '/v1/messages', REQUEST);
const readJson = (body: unknown): ResponseReading =>
  replay(
    () => facts.openReader(answerHead('application/json')),
    typeof body === 'string' ? body : JSON.stringify(body),
  );
const readStream = (...events: readonly Event[]): ResponseReading =>
  replay(
    () => facts.openReader(answerHead('text/event-stream')),
    events.map((event) => sse(event, event.type)).join(''),
  );

const TERMS = { tier: null, speed: null, geo: null };
const message = (usage: unknown, more: object = {}): object => ({
  id: 'msg_01',
  type: 'message',
  role: 'assistant',
  model: 'claude-opus-5-20260901',
  content: [{ type: 'text', text: 'Hi — "quoted"\n' }],
  stop_reason: 'end_turn',
  usage,
  ...more,
});
const start = (usage: unknown): Event => ({
  type: 'message_start',
  message: { ...message(usage), content: [], stop_reason: null },
});
const delta = (usage: unknown, stopReason = 'end_turn'): Event => ({
  type: 'message_delta',
  delta: { stop_reason: stopReason, stop_sequence: null },
  usage,
});
const text = (words: string): Event => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text: words },
});
const blockStart = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
const stop = { type: 'message_stop' };

describe('a call that may be billed otherwise', () => {
  const usage = { input_tokens: 5, output_tokens: 3 };
  const credit = (type: string) => message({ ...usage, fallback_credit: { status: { type } } });
  const billedTo = (billTo: string | null): ResponseReading => {
    const body = { ...REQUEST, billing_policy: { type: 'billing_policy', bill_to: billTo } };
    const { openReader } = readFacts(anthropic, '/v1/messages', body);
    return replay(() => openReader(answerHead('application/json')), JSON.stringify(message(usage)));
  };

  test('is uncertain: a redeemed credit, and another organization that pays', () => {
    expect(readJson(credit('redeemed')).usage).toMatchObject({ otherBilling: true });
    expect(billedTo('user_profile').usage).toMatchObject({ otherBilling: true });
  });

  test('is not uncertain if the credit was not applied, or its own organization pays', () => {
    for (const { usage: told } of [
      readJson(credit('not_applied')),
      readJson(message(usage)),
      billedTo('self'),
      billedTo(null),
    ])
      expect(told?.otherBilling).toBeUndefined();
  });
});

describe('a whole message', () => {
  test('every class of usage is read once, with tier, speed and geography', () => {
    const reading = readJson(
      message({
        input_tokens: 12,
        output_tokens: 30,
        cache_creation_input_tokens: 2000,
        cache_read_input_tokens: 8000,
        cache_creation: { ephemeral_5m_input_tokens: 1500, ephemeral_1h_input_tokens: 500 },
        server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
        output_tokens_details: { thinking_tokens: 10 },
        service_tier: 'standard',
        inference_geo: 'US',
        speed: 'fast',
      }),
    );
    expect(reading).toEqual({
      complete: true,
      errored: false,
      model: 'claude-opus-5-20260901',
      responseId: 'msg_01',
      outputBytes: 16,
      output: null,
      usage: {
        inferences: [
          {
            model: null,
            tokens: { input: 12, cacheRead: 8000, cacheWrite5m: 1500, cacheWrite1h: 500, output: 30 },
            promptTokens: 10_012,
          },
        ],
        uses: {},
        thinking: 10,
        terms: { tier: 'standard', speed: 'fast', geo: 'us' },
      },
    });
  });

  test.each([
    ['without a breakdown writes live five minutes', { cache_creation_input_tokens: 7 }, { cacheWrite5m: 7 }],
    ['a breakdown alone counts', { cache_creation: { ephemeral_1h_input_tokens: 7 } }, { cacheWrite1h: 7 }],
    [
      'null fields are 0',
      { cache_creation_input_tokens: null, cache_creation: null, cache_read_input_tokens: null },
      {},
    ],
  ])('%s', (_name, usage, tokens) => {
    expect(readJson(message({ input_tokens: 1, output_tokens: 2, ...usage })).usage?.inferences[0]?.tokens).toEqual({
      input: 1,
      output: 2,
      ...tokens,
    });
  });

  test('server tools are counted, and passes that are not listed have no prompt length', () => {
    const { usage } = readJson(
      message({
        input_tokens: 300_000,
        output_tokens: 2,
        server_tool_use: { web_search_requests: 2, web_fetch_requests: 1, code_execution_requests: 3 },
      }),
    );
    expect(usage?.uses).toEqual({ webSearch: 2, webFetch: 1, codeExecution: 3 });
    expect(usage?.inferences[0]?.promptTokens).toBeNull();
  });

  test('each iteration is a pass of its own model, without the top level', () => {
    const { usage } = readJson(
      message({
        input_tokens: 1000,
        output_tokens: 100,
        iterations: [
          { type: 'compaction', input_tokens: 50, output_tokens: 5 },
          { type: 'advisor_message', model: 'claude-fable-5', input_tokens: 2000, output_tokens: 50 },
          { type: 'message', model: null, input_tokens: 1000, output_tokens: 100, cache_read_input_tokens: 40 },
        ],
      }),
    );
    expect(usage?.inferences).toEqual([
      { model: null, tokens: { input: 50, output: 5 }, promptTokens: 50 },
      { model: 'claude-fable-5', tokens: { input: 2000, output: 50 }, promptTokens: 2000 },
      { model: null, tokens: { input: 1000, cacheRead: 40, output: 100 }, promptTokens: 1040 },
    ]);
  });

  test('a model that declined before any output is not billed when another one answered', () => {
    const { usage } = readJson(
      message({
        input_tokens: 10,
        output_tokens: 20,
        iterations: [
          { type: 'message', input_tokens: 10, output_tokens: 0 },
          { type: 'message', input_tokens: 10, output_tokens: 3 },
          { type: 'fallback_message', model: 'claude-sonnet-5', input_tokens: 10, output_tokens: 20 },
        ],
      }),
    );
    expect(usage?.inferences.map(({ model, tokens }) => [model, tokens.output])).toEqual([
      [null, 3],
      ['claude-sonnet-5', 20],
    ]);
  });

  test('a refusal before any output costs nothing, one after output costs its reported usage', () => {
    const usage = { input_tokens: 100, output_tokens: 4, cache_read_input_tokens: 3 };
    expect(readJson(message(usage, { stop_reason: 'refusal', content: [] })).usage?.inferences).toEqual([
      { model: null, tokens: {}, promptTokens: 0 },
    ]);
    expect(readJson(message(usage, { stop_reason: 'refusal' })).usage?.inferences[0]?.tokens.input).toBe(100);
  });

  test.each([
    ['a fraction', { input_tokens: 1.5, output_tokens: 1 }],
    ['a text', { input_tokens: '12', output_tokens: 1 }],
    ['a negative count', { input_tokens: 1, output_tokens: -1 }],
    ['a count beyond 2^53', { input_tokens: 2 ** 53, output_tokens: 1 }],
    ['a list in place of counts', [1, 2]],
    ['null', null],
    ['no input', { output_tokens: 5 }],
    ['no output', { input_tokens: 5 }],
  ])('%s as usage is unknown usage, never a wrong one', (_name, usage) => {
    expect(readJson(message(usage)).usage).toBeNull();
  });

  test('unknown fields change nothing', () => {
    const plain = readJson(message({ input_tokens: 1, output_tokens: 2 }));
    const extended = readJson(
      message(
        { input_tokens: 1, output_tokens: 2, future: { input_tokens: 99 } },
        { zz: [{ usage: { input_tokens: 5 } }], ' type': 'x' },
      ),
    );
    expect(extended).toEqual(plain);
  });

  test.each([
    ['nothing', '', false],
    ['half a document', JSON.stringify(message({ input_tokens: 1, output_tokens: 2 })).slice(0, -20), false],
    ['a web page', '<html>502</html>', false],
    ['another document', '[1, 2]', true],
    ['an answer without usage', '{"id":"msg_1","type":"message"}', true],
  ])('%s has no usage', (_name, body, complete) => {
    expect(readJson(body)).toMatchObject({ usage: null, complete, errored: false });
  });

  test('an error has no usage', () => {
    expect(readJson({ type: 'error', error: { type: 'api_error', message: 'no' } })).toMatchObject({
      errored: true,
      usage: null,
    });
  });
});

describe('a stream', () => {
  test('cumulative counts overwrite, nulls and absent fields do not, the breakdown stays from the start', () => {
    const reading = readStream(
      start({
        input_tokens: 25,
        cache_read_input_tokens: 100,
        cache_creation_input_tokens: 40,
        cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 30 },
        output_tokens: 1,
        service_tier: 'priority',
        inference_geo: 'global',
        speed: 'standard',
      }),
      { type: 'ping' },
      blockStart,
      text('Hello'),
      text(' wörld'),
      delta({ output_tokens: 7, input_tokens: null, cache_read_input_tokens: null }),
      delta({ output_tokens: 15, input_tokens: 1225, server_tool_use: { web_search_requests: 1 } }),
      stop,
    );
    expect(reading).toMatchObject({ complete: true, errored: false, responseId: 'msg_01', outputBytes: 12 });
    expect(reading.usage).toMatchObject({
      inferences: [{ tokens: { input: 1225, cacheRead: 100, cacheWrite5m: 10, cacheWrite1h: 30, output: 15 } }],
      uses: { webSearch: 1 },
      terms: { tier: 'priority', geo: 'global', speed: 'standard' },
    });
  });

  test('later writes have the lifetime of the broken-down ones', () => {
    const usage = (cache_creation: object): unknown =>
      readStream(
        start({ input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 10, cache_creation }),
        delta({ output_tokens: 2, cache_creation_input_tokens: 50 }),
        stop,
      ).usage?.inferences[0]?.tokens;
    expect(usage({ ephemeral_1h_input_tokens: 10, ephemeral_5m_input_tokens: 0 })).toMatchObject({ cacheWrite1h: 50 });
    expect(usage({ ephemeral_1h_input_tokens: 4, ephemeral_5m_input_tokens: 6 })).toMatchObject({
      cacheWrite1h: 4,
      cacheWrite5m: 46,
    });
  });

  test('thinking and tool input count as output, measured by the bytes beyond the usual frame of an event', () => {
    const piece = (fields: object): Event => ({ type: 'content_block_delta', index: 0, delta: fields });
    const bytes = (fields: object): number => readStream(piece(fields)).outputBytes;
    expect(bytes({ type: 'text_delta', text: 'Hello' })).toBe(5);
    const thought = bytes({ type: 'thinking_delta', thinking: 'x'.repeat(100) });
    const toolInput = bytes({ type: 'input_json_delta', partial_json: 'x'.repeat(100) });
    for (const measured of [thought, toolInput]) expect(Math.abs(measured - 100)).toBeLessThan(20);
  });

  test('a stream without its last event is not complete and keeps the usage read', () => {
    const reading = readStream(start({ input_tokens: 25, output_tokens: 1 }), blockStart, text('Hello'));
    expect(reading).toMatchObject({
      complete: false,
      errored: false,
      usage: { inferences: [{ tokens: { input: 25, output: 1 } }] },
    });
  });

  test('usage at the start is noted until the end', () => {
    const reader = facts.openReader(answerHead('text/event-stream'));
    expect(reader.early).toBe(false);
    reader.push(new TextEncoder().encode(sse(start({ input_tokens: 25, output_tokens: 1 }), 'message_start')));
    expect(reader.early).toBe(true);
    reader.push(new TextEncoder().encode(sse(stop, 'message_stop')));
    expect(reader.early).toBe(false);
  });

  test('usage too long to keep is unknown, and older usage does not replace it', () => {
    const long = delta({ output_tokens: 15, future: 'x'.repeat(100_000) });
    const body = [start({ input_tokens: 25, output_tokens: 1 }), long, stop].map((event) => sse(event)).join('');
    const reading = read(facts.openReader(answerHead('text/event-stream')), [new TextEncoder().encode(body)]);
    expect(reading).toMatchObject({ complete: true, usage: null });
  });

  test('an error in the middle of a stream is reported', () => {
    const reading = readStream(start({ input_tokens: 25, output_tokens: 1 }), {
      type: 'error',
      error: { type: 'overloaded_error' },
    });
    expect(reading).toMatchObject({ complete: false, errored: true });
  });

  test('a refusal before any output costs nothing', () => {
    const { usage } = readStream(
      start({ input_tokens: 25, output_tokens: 1 }),
      delta({ output_tokens: 1 }, 'refusal'),
      stop,
    );
    expect(usage?.inferences[0]?.tokens).toEqual({});
    const later = readStream(
      start({ input_tokens: 25, output_tokens: 1 }),
      blockStart,
      text('No'),
      delta({ output_tokens: 3 }, 'refusal'),
      stop,
    );
    expect(later.usage?.inferences[0]?.tokens).toEqual({ input: 25, output: 3 });
  });

  test('unknown events, comments and other line ends pass', () => {
    const events = [
      start({ input_tokens: 25, output_tokens: 1 }),
      blockStart,
      text('Hello'),
      delta({ output_tokens: 3 }),
      stop,
    ];
    const plain = readStream(...events);
    const odd = `: comment\r\n\r\n${sse({ type: 'message_future', usage: 5, message: [] }, 'message_future')}id: 7\n\n${events
      .map((event) => sse(event, event.type).replaceAll('\n', '\r\n'))
      .join('')}`;
    expect(replay(() => facts.openReader(answerHead('text/event-stream')), odd)).toEqual(plain);
    const carriage = events.map((event) => sse(event, event.type).replaceAll('\n', '\r')).join('');
    expect(replay(() => facts.openReader(answerHead('text/event-stream')), carriage)).toEqual(plain);
  });

  test('the terminal event counts before its blank line, and when there is none', () => {
    const body = sse(start({ input_tokens: 25, output_tokens: 1 })) + sse(stop).trimEnd();
    expect(read(facts.openReader(answerHead('text/event-stream')), [new TextEncoder().encode(body)]).complete).toBe(
      true,
    );
  });
});

test('the terms come from the response and never from the request', () => {
  const asked = readFacts(anthropic, '', { ...REQUEST, service_tier: 'auto', speed: 'fast', inference_geo: 'us' });
  const body = JSON.stringify(message({ input_tokens: 1, output_tokens: 1 }));
  expect(replay(() => asked.openReader(answerHead('application/json')), body).usage?.terms).toEqual(TERMS);
});
