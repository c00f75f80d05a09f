import { describe, expect, test } from 'vitest';
import { answerHead, readFacts, replay, type ResponseReading, sse } from '../contract/replay.ts';
import { PROVIDERS } from '../providers.ts';
import { openai } from './openai.ts';

const provider = openai;
const CHAT = { model: 'gpt-5.4', messages: [{ role: 'user', content: 'Hi' }] };
const chat = readFacts(provider, '/chat/completions', CHAT);
const asking = readFacts(provider, '/chat/completions', {
  ...CHAT,
  stream: true,
  stream_options: { include_usage: true },
});
const trimmed = readFacts(provider, '/chat/completions', { ...CHAT, stream: true });
const HOSTED = [
  { type: 'web_search' },
  { type: 'file_search' },
  { type: 'code_interpreter', container: { type: 'auto' } },
  { type: 'shell', environment: { type: 'container_auto' } },
];
const response = readFacts(provider, '/responses', { model: 'gpt-5.6-sol', input: 'Hi', tools: HOSTED });
const embeddings = readFacts(provider, '/v1/embeddings', { model: 'text-embedding-3-small', input: 'Hi' });

const readJson = (facts: typeof chat, body: unknown): ResponseReading =>
  replay(
    () => facts.openReader(answerHead('application/json')),
    typeof body === 'string' ? body : JSON.stringify(body),
  );
const readStream = (facts: typeof chat, events: readonly string[]): ResponseReading =>
  replay(() => facts.openReader(answerHead('text/event-stream')), events.join(''));

const USAGE = {
  prompt_tokens: 1200,
  completion_tokens: 300,
  total_tokens: 1500,
  prompt_tokens_details: { cached_tokens: 1024, cache_write_tokens: 100, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 200, audio_tokens: 0, rejected_prediction_tokens: 0 },
};
const completion = (usage: unknown, more: object = {}): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: 'gpt-5.4-2026-03-05',
  service_tier: 'Default',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage,
  ...more,
});
test.each([
  ['openrouter', { cost: 0.0025 }, 2_500_000],
  ['xai', { cost_in_usd_ticks: 25_000_000 }, 2_500_000],
  ['groq', { cost: 0.0025 }, undefined],
])('the usage of %s has the cost that it states, whole and streamed', (id, stated, statedCost) => {
  const found = PROVIDERS.find((each) => each.id === id) ?? provider;
  const facts = readFacts(found, '/chat/completions', { ...CHAT, stream: true });
  expect(readJson(facts, completion({ ...USAGE, ...stated })).usage?.statedCost).toBe(statedCost);
  const last = sse({ choices: [], usage: { ...USAGE, ...stated } });
  expect(readStream(facts, [last]).usage?.statedCost).toBe(statedCost);
  const inputs = readFacts(found, '/embeddings', { model: 'some', input: 'Hi' });
  const counted = { prompt_tokens: 8, total_tokens: 8, ...stated };
  expect(readJson(inputs, { object: 'list', usage: counted }).usage?.statedCost).toBe(statedCost);
});

const chatTokens = (usage: unknown): unknown => readJson(chat, completion(usage)).usage?.inferences[0]?.tokens ?? null;

describe('cache writes without details', () => {
  const part = (ttl?: string) => ({
    type: 'text',
    text: 'Hi',
    cache_control: { type: 'ephemeral', ...(ttl && { ttl }) },
  });
  const written = (...parts: object[]): unknown => {
    const asked = readFacts(provider, '/chat/completions', { ...CHAT, messages: [{ role: 'user', content: parts }] });
    return readJson(asked, completion(USAGE)).usage?.inferences[0]?.tokens ?? null;
  };
  const input = { input: 76, cacheRead: 1024, output: 300 };

  test('have the lifetime that the request asks for', () => {
    expect(written(part())).toEqual({ ...input, cacheWrite: 100 });
    expect(written(part('5m'), part())).toEqual({ ...input, cacheWrite: 100 });
    expect(written(part('1h'), part('1h'))).toEqual({ ...input, cacheWrite1h: 100 });
  });

  test('of several lifetimes, or of an unknown one, leave the usage unknown', () => {
    expect(written(part('1h'), part('5m'))).toBeNull();
    expect(written(part(), part('1h'))).toBeNull();
    expect(written(part('2d'))).toBeNull();
  });
});

describe('a chat completion', () => {
  test('cache reads and writes are part of the prompt, reasoning is part of the output', () => {
    expect(readJson(chat, completion(USAGE))).toEqual({
      complete: true,
      errored: false,
      model: 'gpt-5.4-2026-03-05',
      responseId: 'chatcmpl-1',
      outputBytes: 2,
      output: null,
      usage: {
        inferences: [
          { model: null, tokens: { input: 76, cacheRead: 1024, cacheWrite: 100, output: 300 }, promptTokens: 1200 },
        ],
        uses: {},
        thinking: 200,
        terms: { tier: 'default', speed: null, geo: null },
      },
    });
  });

  test.each([
    ['bare counts', { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 }, { input: 5, output: 2 }],
    [
      'null details',
      { prompt_tokens: 5, completion_tokens: 2, prompt_tokens_details: null, completion_tokens_details: null },
      { input: 5, output: 2 },
    ],
    [
      'audio in and out',
      {
        prompt_tokens: 100,
        completion_tokens: 50,
        prompt_tokens_details: { audio_tokens: 80, cached_tokens: 10 },
        completion_tokens_details: { audio_tokens: 30 },
      },
      { input: 10, inputAudio: 80, cacheRead: 10, output: 20, outputAudio: 30 },
    ],
    [
      'pictures and sound out',
      {
        prompt_tokens: 10,
        completion_tokens: 1_350,
        completion_tokens_details: { image_tokens: 1_290, audio_tokens: 20 },
      },
      { input: 10, output: 40, outputAudio: 20, outputImage: 1_290 },
    ],
    [
      'writes that live twelve hours',
      {
        prompt_tokens: 100,
        completion_tokens: 1,
        prompt_tokens_details: {
          cache_write_tokens: 60,
          cache_write_tokens_details: { ttl_30m_tokens: 20, ttl_12h_tokens: 40 },
        },
      },
      { input: 40, cacheWrite: 20, cacheWrite12h: 40, output: 1 },
    ],
    [
      'cache hits named as DeepSeek does',
      { prompt_tokens: 100, completion_tokens: 1, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 },
      { input: 36, cacheRead: 64, output: 1 },
    ],
    [
      'reasoning beside the output, as xAI counts',
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 115,
        completion_tokens_details: { reasoning_tokens: 100 },
      },
      { input: 10, output: 105 },
    ],
    [
      'parts beyond the whole',
      { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 11 } },
      null,
    ],
    ['a count that is none', { prompt_tokens: 10, completion_tokens: true }, null],
    ['no prompt', { completion_tokens: 5 }, null],
    ['no output', { prompt_tokens: 10, total_tokens: 60_010 }, null],
    ['no output and no total', { prompt_tokens: 10 }, null],
    ['a total above its parts', { prompt_tokens: 4, completion_tokens: 5, total_tokens: 3_264 }, null],
    [
      'a total above its parts and the reasoning',
      {
        prompt_tokens: 40,
        completion_tokens: 5,
        total_tokens: 1_045,
        completion_tokens_details: { reasoning_tokens: 999 },
      },
      null,
    ],
    [
      'sound that is charged by its length, as Mistral counts',
      { prompt_tokens: 4, completion_tokens: 635, total_tokens: 639, prompt_audio_seconds: 203 },
      null,
    ],
    ['nothing', {}, null],
    ['a prompt that is all, as of embeddings', { prompt_tokens: 10, total_tokens: 10 }, { input: 10 }],
  ])('%s', (_name, usage, tokens) => {
    expect(chatTokens(usage)).toEqual(tokens);
  });

  test('an answer without usage is complete, with unknown usage', () => {
    expect(readJson(chat, completion(null))).toMatchObject({ complete: true, usage: null });
  });
});

const chunk = (choices: readonly unknown[], usage: unknown = null): string =>
  sse({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    model: 'gpt-5.4-2026-03-05',
    service_tier: 'default',
    choices,
    usage,
  });
const word = (content: string, finish: string | null = null): string =>
  chunk([{ index: 0, delta: { content }, finish_reason: finish }]);
const EVENTS = [word('Hel'), word('lo'), word('', 'stop')];
const EXTRA = chunk([], USAGE);
const DONE = sse('[DONE]');

describe('a chat stream', () => {
  test('usage comes in a separate event, and the mark ends the stream', () => {
    const reading = readStream(asking, [...EVENTS, EXTRA, DONE]);
    expect(reading).toMatchObject({
      complete: true,
      errored: false,
      outputBytes: 5,
      output: null,
      responseId: 'chatcmpl-1',
    });
    expect(reading.usage?.inferences[0]?.tokens).toEqual({ input: 76, cacheRead: 1024, cacheWrite: 100, output: 300 });
  });

  test('usage that the client did not request is read and removed, and every other byte passes', () => {
    const reading = readStream(trimmed, [': hello\n\n', ...EVENTS, EXTRA, DONE]);
    expect(reading.usage?.inferences[0]?.tokens).toMatchObject({ output: 300 });
    expect(reading.output).toBe([': hello\n\n', ...EVENTS, DONE].join(''));
  });

  test('usage together with a choice is not an extra event', () => {
    const last = chunk([{ index: 0, delta: {}, finish_reason: 'stop' }], USAGE);
    expect(readStream(trimmed, [...EVENTS, last, DONE])).toMatchObject({
      output: [...EVENTS, last, DONE].join(''),
      usage: { thinking: 200 },
    });
  });

  test('an extra event cut off by the end is not forwarded', () => {
    expect(readStream(trimmed, [...EVENTS, EXTRA.trimEnd()])).toMatchObject({
      complete: false,
      output: EVENTS.join(''),
    });
  });

  test('an event too long to hold is forwarded whole', () => {
    const long = word('x'.repeat(200_000));
    const reader = trimmed.openReader(answerHead('text/event-stream'));
    const bytes = new TextEncoder().encode(long + EXTRA + DONE);
    let output = '';
    for (let at = 0; at < bytes.length; at += 1_000) {
      reader.push(bytes.subarray(at, at + 1_000));
      for (const part of reader.takeOutput?.() ?? []) output += new TextDecoder().decode(part);
    }
    expect(output).toBe(long + DONE);
    expect(reader.usage()).not.toBeNull();
  });

  test('an extra event too long to hold is not split', () => {
    const long = sse({ choices: [], usage: USAGE, future: 'x'.repeat(200_000) });
    const reader = trimmed.openReader(answerHead('text/event-stream'));
    const bytes = new TextEncoder().encode(long + DONE);
    let output = '';
    for (let at = 0; at < bytes.length; at += 1_000) {
      reader.push(bytes.subarray(at, at + 1_000));
      for (const part of reader.takeOutput?.() ?? []) output += new TextDecoder().decode(part);
    }
    expect(output).toBe(long + DONE);
  });

  test('a stream without the mark is not complete', () => {
    expect(readStream(asking, [...EVENTS, EXTRA])).toMatchObject({ complete: false, usage: { thinking: 200 } });
  });

  test('text that looks like the mark is not the mark', () => {
    expect(readStream(asking, [sse('[DONE'), sse('[DONT]'), word('[DONE]')]).complete).toBe(false);
  });

  test('an error in the middle of a stream is reported', () => {
    expect(
      readStream(asking, [...EVENTS, sse({ error: { message: 'The server had an error', type: 'server_error' } })]),
    ).toMatchObject({ errored: true, complete: false });
    expect(readStream(asking, [...EVENTS, sse({ error: 'overloaded' })]).errored).toBe(true);
  });

  test('an answer that is not a stream is forwarded unchanged', () => {
    expect(readJson(trimmed, completion(USAGE))).toMatchObject({
      output: null,
      complete: true,
      usage: { thinking: 200 },
    });
  });
});

const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'gpt-5.6-sol',
  service_tier: 'priority',
  error: null,
  output: [
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'abc' }] },
    { type: 'web_search_call', action: { type: 'search', query: 'q' }, status: 'completed' },
    { type: 'web_search_call', action: { type: 'open_page' } },
    { type: 'web_search_call' },
    { type: 'file_search_call', queries: ['a', 'b'] },
    { type: 'code_interpreter_call', container_id: 'cntr_1' },
    { type: 'code_interpreter_call', container_id: 'cntr_1' },
    { type: 'code_interpreter_call', container_id: 'cntr_2' },
    { type: 'message', content: [{ type: 'output_text', text: 'Hello' }] },
  ],
  usage: {
    input_tokens: 1200,
    input_tokens_details: {
      cached_tokens: 1024,
      cache_write_tokens: 128,
      cache_write_tokens_details: { ttl_30m_tokens: 28, ttl_12h_tokens: 100 },
    },
    output_tokens: 300,
    output_tokens_details: { reasoning_tokens: 200 },
    total_tokens: 1500,
  },
};
const USES = { webSearch: 2, fileSearch: 1, codeInterpreter: 2 };
const PLAIN = { ...RESPONSE, output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hello' }] }] };

describe('a response', () => {
  test('every class of usage is read, and the work of tools is counted', () => {
    expect(readJson(response, RESPONSE)).toEqual({
      complete: true,
      errored: false,
      model: 'gpt-5.6-sol',
      responseId: 'resp_1',
      outputBytes: 8,
      output: null,
      usage: {
        inferences: [
          {
            model: null,
            tokens: { input: 48, cacheRead: 1024, cacheWrite: 28, cacheWrite12h: 100, output: 300 },
            promptTokens: null,
          },
        ],
        uses: USES,
        thinking: 200,
        terms: { tier: 'priority', speed: null, geo: null },
      },
    });
  });

  test('the length of a prompt without tools is known', () => {
    expect(readJson(response, PLAIN).usage?.inferences[0]?.promptTokens).toBe(1200);
  });

  test("the provider's own count of searches wins", () => {
    const reported = { ...RESPONSE, tool_usage: { web_search: { num_requests: 1 }, image_gen: { total_tokens: 0 } } };
    expect(readJson(response, reported).usage?.uses.webSearch).toBe(1);
  });

  const event = (type: string, more: object): string => sse({ type, ...more }, type);
  const STREAM = [
    event('response.created', { response: { ...PLAIN, status: 'in_progress', output: [], usage: null } }),
    ...RESPONSE.output.flatMap((item) => [
      event('response.output_item.added', { item }),
      event('response.output_item.done', { output_index: 0, item }),
    ]),
    event('response.output_text.delta', { delta: 'Hel' }),
    event('response.output_text.delta', { delta: 'lo' }),
  ];

  test.each(['response.completed', 'response.incomplete'])(
    'a stream ends with %s, which has the whole usage',
    (type) => {
      const reading = readStream(response, [...STREAM, event(type, { response: RESPONSE })]);
      expect(reading).toMatchObject({ complete: true, errored: false, outputBytes: 5, responseId: 'resp_1' });
      expect(reading.usage).toMatchObject({
        uses: USES,
        terms: { tier: 'priority' },
        inferences: [{ tokens: { cacheWrite12h: 100 } }],
      });
    },
  );

  test('tools are counted from their own events if the last one does not list them', () => {
    expect(
      readStream(response, [...STREAM, event('response.completed', { response: { ...RESPONSE, output: [] } })]).usage
        ?.uses,
    ).toEqual(USES);
  });

  test.each([
    {},
    { output_tokens: 5 },
    { input_tokens: 5 },
    { input_tokens: 5, output_tokens: null },
    { input_tokens: 5, output_tokens: 5, total_tokens: 3_264 },
  ])('a usage without a count that each answer has is unknown: %j', (usage) => {
    expect(readJson(response, { ...RESPONSE, usage }).usage).toBeNull();
  });

  test('images created by a tool are a pass of a separate model, and unknown if they are not reported', () => {
    const output = [{ type: 'image_generation_call', result: 'base64' }];
    const image_gen = {
      input_tokens: 50,
      input_tokens_details: { image_tokens: 30, text_tokens: 20 },
      output_tokens: 1000,
      total_tokens: 1050,
    };
    const reported = readJson(response, {
      ...RESPONSE,
      output,
      tool_usage: { image_gen, web_search: { num_requests: 0 } },
    });
    expect(reported.usage?.inferences).toMatchObject([
      { model: null, tokens: { output: 300 } },
      { model: 'image_generation', tokens: { input: 20, inputImage: 30, outputImage: 1000 } },
    ]);
    expect(readJson(response, { ...RESPONSE, output })).toMatchObject({ complete: true, usage: null });
  });

  test('a shell in a container of the provider is counted like any container', () => {
    const output = [
      {
        type: 'shell_call',
        environment: { type: 'container_reference', container_id: 'cntr_1' },
        action: { commands: [] },
      },
      { type: 'code_interpreter_call', container_id: 'cntr_1' },
      { type: 'shell_call', environment: { type: 'local' } },
      { type: 'shell_call', environment: null },
    ];
    expect(readJson(response, { ...RESPONSE, output }).usage?.uses).toEqual({ codeInterpreter: 1 });
  });

  test('items listed before the end of a response are not counted again', () => {
    const early = event('response.in_progress', { response: { ...RESPONSE, status: 'in_progress', usage: null } });
    expect(readStream(response, [early, event('response.completed', { response: RESPONSE })]).usage?.uses).toEqual(
      USES,
    );
  });

  test('a failure without usage is an error, and its cost is known with usage', () => {
    const failed = (usage: unknown): ResponseReading =>
      readStream(response, [event('response.failed', { response: { ...PLAIN, status: 'failed', usage } })]);
    expect(failed(null)).toMatchObject({ errored: true, usage: null });
    expect(failed(RESPONSE.usage)).toMatchObject({ errored: false, complete: true, usage: { thinking: 200 } });
  });

  test('an error event is reported', () => {
    expect(readStream(response, [...STREAM, event('error', { code: 'server_error', message: 'no' })])).toMatchObject({
      errored: true,
      complete: false,
    });
  });

  test('a long code of the model leaves the usage known', () => {
    const code = event('response.code_interpreter_call_code.done', { item_id: 'ci_1', code: 'x'.repeat(100_000) });
    const last = event('response.completed', { response: { ...PLAIN, status: 'completed' } });
    expect(readStream(response, [code, last])).toMatchObject({
      complete: true,
      errored: false,
      usage: { thinking: 200 },
    });
  });

  test('a stream cut off before its last event is not complete', () => {
    expect(readStream(response, STREAM)).toMatchObject({ complete: false, usage: null, responseId: 'resp_1' });
  });
});

test('embeddings have only input', () => {
  const body = {
    object: 'list',
    data: [{ embedding: [0.1, -2e-5] }],
    model: 'text-embedding-3-small',
    usage: { prompt_tokens: 8, total_tokens: 8 },
  };
  expect(readJson(embeddings, body)).toMatchObject({
    complete: true,
    model: 'text-embedding-3-small',
    usage: { inferences: [{ tokens: { input: 8 }, promptTokens: 8 }] },
  });
});
