import { describe, expect, test } from 'vitest';
import { answerHead, readFacts, replay, type ResponseReading } from '../contract/replay.ts';
import { google } from './google.ts';

const provider = google;
const REQUEST = { contents: [{ parts: [{ text: 'Hi' }] }] };
const whole = readFacts(provider, '/v1/models/gemini-2.5-flash:generateContent', REQUEST);
const streamed = readFacts(provider, '/v1beta/models/gemini-2.5-flash:streamGenerateContent', REQUEST);

const readJson = (body: unknown, headers = {}): ResponseReading =>
  replay(
    () => whole.openReader(answerHead('application/json', headers)),
    typeof body === 'string' ? body : JSON.stringify(body, null, 2),
  );
const readEvents = (...chunks: readonly unknown[]): ResponseReading =>
  replay(
    () => streamed.openReader(answerHead('text/event-stream')),
    chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join(''),
  );
const readArray = (...chunks: readonly unknown[]): ResponseReading =>
  replay(() => streamed.openReader(answerHead('application/json')), JSON.stringify(chunks, null, 1));

const candidate = (text: string, more: object = {}): object => ({
  content: { parts: [{ text }], role: 'model' },
  index: 0,
  ...more,
});
const PARTS = ['promptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount', 'toolUsePromptTokenCount'];
/** With the sum of its parts, as every usage has it. */
const totalled = (parts: object): object => {
  const counts = new Map<string, unknown>(Object.entries(parts));
  return { totalTokenCount: PARTS.reduce((sum, name) => sum + Number(counts.get(name) ?? 0), 0), ...parts };
};
const answer = (usageMetadata: object, more: object = {}): object => ({
  candidates: [candidate('Hi', { finishReason: 'STOP' })],
  usageMetadata: totalled(usageMetadata),
  modelVersion: 'gemini-2.5-pro',
  responseId: 'abc',
  ...more,
});
const tokensOf = (usageMetadata: object): unknown => readJson(answer(usageMetadata)).usage?.inferences[0]?.tokens;

describe('a whole answer', () => {
  test('cached tokens, thinking, tool results and audio are separate', () => {
    const reading = readJson(
      answer({
        promptTokenCount: 1000,
        cachedContentTokenCount: 600,
        candidatesTokenCount: 50,
        thoughtsTokenCount: 200,
        toolUsePromptTokenCount: 30,
        totalTokenCount: 1280,
        promptTokensDetails: [
          { modality: 'TEXT', tokenCount: 900 },
          { modality: 'AUDIO', tokenCount: 100 },
        ],
        cacheTokensDetails: [{ modality: 'TEXT', tokenCount: 600 }],
        candidatesTokensDetails: [{ modality: 'TEXT', tokenCount: 50 }],
        serviceTier: 'FLEX',
      }),
    );
    expect(reading).toEqual({
      complete: true,
      errored: false,
      model: 'gemini-2.5-pro',
      responseId: 'abc',
      outputBytes: 2,
      output: null,
      usage: {
        inferences: [
          { model: null, tokens: { input: 330, inputAudio: 100, cacheRead: 600, output: 250 }, promptTokens: 1000 },
        ],
        uses: {},
        thinking: 200,
        terms: { tier: 'flex', speed: null, geo: null },
      },
    });
  });

  test.each([
    ['nothing but a prompt', { promptTokenCount: 7 }, { input: 7 }],
    [
      'cached audio',
      {
        promptTokenCount: 100,
        cachedContentTokenCount: 60,
        promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 80 }],
        cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 50 }],
      },
      { input: 10, inputAudio: 30, cacheRead: 10, cacheReadAudio: 50 },
    ],
    [
      'audio that must lie in the cache',
      {
        promptTokenCount: 100,
        cachedContentTokenCount: 90,
        promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 80 }],
      },
      { inputAudio: 10, cacheRead: 90 },
    ],
    [
      'pictures made',
      {
        promptTokenCount: 1,
        candidatesTokenCount: 1300,
        candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1290 }],
      },
      { input: 1, output: 10, outputImage: 1290 },
    ],
    [
      'speech made',
      {
        promptTokenCount: 1,
        candidatesTokenCount: 100,
        candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 100 }],
      },
      { input: 1, outputAudio: 100 },
    ],
    ['more cached than sent', { promptTokenCount: 5, cachedContentTokenCount: 9 }, { cacheRead: 5 }],
  ])('%s', (_name, usage, tokens) => {
    expect(tokensOf(usage)).toEqual(tokens);
  });

  test('a blocked prompt costs what is reported', () => {
    const reading = readJson({
      promptFeedback: { blockReason: 'SAFETY' },
      usageMetadata: totalled({ promptTokenCount: 9 }),
    });
    expect(reading).toMatchObject({ complete: true, model: null, usage: { inferences: [{ tokens: { input: 9 } }] } });
  });

  test('the tier is read from the header if the body has none', () => {
    expect(readJson(answer({ promptTokenCount: 1 }), { 'x-gemini-service-tier': 'Priority' }).usage?.terms.tier).toBe(
      'priority',
    );
    expect(
      readJson(answer({ promptTokenCount: 1, serviceTier: 'standard' }), { 'x-gemini-service-tier': 'flex' }).usage
        ?.terms.tier,
    ).toBe('standard');
  });

  test.each([
    ['gemini-2.5-pro', { groundedPrompt: 1 }],
    ['gemini-3-pro-preview', { groundingQuery: 3 }],
    ['gemini-flash-latest', { groundingQuery: 3 }],
  ])('searches of %s are billed its way', (modelVersion, uses) => {
    const grounded = (...webSearchQueries: string[]): object =>
      candidate('x', { finishReason: 'STOP', groundingMetadata: { webSearchQueries } });
    const body = answer({ promptTokenCount: 1 }, { modelVersion, candidates: [grounded('a', 'b', ''), grounded('a')] });
    expect(readJson(body).usage?.uses).toEqual(uses);
  });

  test.each([
    ['gemini-2.5-flash', { mapsPrompt: 1 }, undefined],
    // Billed by queries, whose number the answer does not tell.
    ['gemini-3.5-flash', {}, true],
  ])('places on Google Maps in an answer of %s are billed', (modelVersion, uses, hasUnlistedFee) => {
    const place = (title: string): object =>
      candidate('x', { groundingMetadata: { groundingChunks: [{ maps: { title } }, { web: { title } }] } });
    const body = answer({ promptTokenCount: 1 }, { modelVersion, candidates: [place('a'), place('b')] });
    const { usage } = readJson(body);
    expect([usage?.uses, usage?.hasUnlistedFee]).toEqual([uses, hasUnlistedFee]);
  });

  test('pages on the web in an answer are billed by their queries alone', () => {
    const chunks = { groundingChunks: [{ web: { title: 'a' } }], webSearchQueries: ['a'] };
    const candidates = [candidate('x', { groundingMetadata: chunks })];
    const { usage } = readJson(answer({ promptTokenCount: 1 }, { modelVersion: 'gemini-2.5-flash', candidates }));
    expect([usage?.uses, usage?.hasUnlistedFee]).toEqual([{ groundedPrompt: 1 }, undefined]);
  });

  test('grounding without a query is free', () => {
    const body = answer(
      { promptTokenCount: 1 },
      { candidates: [candidate('x', { groundingMetadata: { webSearchQueries: [] } })] },
    );
    expect(readJson(body).usage?.uses).toEqual({});
  });

  test.each([
    ['a usage without its total', { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: null }],
    ['a total that holds more than the parts that are told', { promptTokenCount: 7, totalTokenCount: 60_007 }],
    ['a usage without its prompt', { candidatesTokenCount: 1290 }],
    ['a prompt of null', { promptTokenCount: null, candidatesTokenCount: 1290 }],
    ['a text as count', { promptTokenCount: '7' }],
    [
      'a fraction in the details',
      { promptTokenCount: 7, promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 0.5 }] },
    ],
    ['a negative count', { promptTokenCount: 7, thoughtsTokenCount: -1 }],
  ])('%s makes the usage unknown', (_name, usage) => {
    expect(readJson(answer(usage)).usage).toBeNull();
  });

  test('an error has no usage', () => {
    expect(readJson({ error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } })).toMatchObject({
      errored: true,
      usage: null,
    });
  });
});

const CHUNKS = [
  {
    candidates: [candidate('Hel')],
    usageMetadata: { promptTokenCount: 10, totalTokenCount: 10 },
    modelVersion: 'gemini-2.5-flash',
    responseId: 'r',
  },
  { candidates: [candidate('lo')], modelVersion: 'gemini-2.5-flash', responseId: 'r' },
  {
    candidates: [candidate('', { finishReason: 'STOP', groundingMetadata: { webSearchQueries: ['a'] } })],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 4, thoughtsTokenCount: 6, totalTokenCount: 20 },
    modelVersion: 'gemini-2.5-flash',
    responseId: 'r',
  },
];

describe.each([
  ['events', readEvents],
  ['one array', readArray],
])('a stream as %s', (_name, readChunks) => {
  test('the last usage counts', () => {
    expect(readChunks(...CHUNKS)).toMatchObject({
      complete: true,
      errored: false,
      model: 'gemini-2.5-flash',
      responseId: 'r',
      outputBytes: 5,
      usage: {
        inferences: [{ tokens: { input: 10, output: 10 }, promptTokens: 10 }],
        thinking: 6,
        uses: { groundedPrompt: 1 },
      },
    });
  });

  test('a stream without its last piece is not complete', () => {
    expect(readChunks(...CHUNKS.slice(0, 2))).toMatchObject({
      complete: false,
      usage: { inferences: [{ tokens: { input: 10 } }] },
    });
  });

  test('a finished stream without usage is complete, with unknown usage', () => {
    expect(readChunks({ candidates: [candidate('x', { finishReason: 'STOP' })] })).toMatchObject({
      complete: true,
      usage: null,
    });
  });

  test('queries repeated in several pieces count once', () => {
    const piece = (...webSearchQueries: string[]): object => ({
      candidates: [candidate('x', { finishReason: 'STOP', groundingMetadata: { webSearchQueries } })],
      usageMetadata: totalled({ promptTokenCount: 1 }),
      modelVersion: 'gemini-3-flash',
    });
    expect(readChunks(piece('a'), piece('a', 'b'), piece('c')).usage?.uses).toEqual({ groundingQuery: 3 });
    expect(readChunks(piece('a', 'a'), piece('a')).usage?.uses).toEqual({ groundingQuery: 2 });
  });

  test('an error in the middle of a stream is reported', () => {
    expect(readChunks(CHUNKS[0], { error: { code: 503, status: 'UNAVAILABLE' } })).toMatchObject({
      complete: false,
      errored: true,
    });
  });
});

test('with several requested candidates, the first to finish does not end the stream', () => {
  const facts = readFacts(provider, '/v1/models/gemini-2.5-flash:streamGenerateContent', {
    ...REQUEST,
    generationConfig: { candidateCount: 2 },
  });
  const reader = facts.openReader(answerHead('text/event-stream'));
  const push = (index: number): void =>
    reader.push(
      new TextEncoder().encode(
        `data: ${JSON.stringify({ candidates: [{ index, finishReason: 'STOP' }], usageMetadata: { promptTokenCount: 1 } })}\n\n`,
      ),
    );
  push(0);
  expect(reader.complete).toBe(false);
  push(1);
  expect(reader.complete).toBe(true);
});

test('an error instead of the array is reported', () => {
  const body = JSON.stringify({ error: { code: 400, message: 'no', status: 'INVALID_ARGUMENT' } });
  expect(replay(() => streamed.openReader(answerHead('application/json')), body)).toMatchObject({
    errored: true,
    complete: false,
  });
});

test('a stream is not complete while usage may still follow its last text', () => {
  const reader = streamed.openReader(answerHead('text/event-stream'));
  const push = (chunk: object): void => reader.push(Buffer.from(`data: ${JSON.stringify(chunk)}\r\n\r\n`));
  push({ candidates: [candidate('Hi')], usageMetadata: totalled({ promptTokenCount: 10, candidatesTokenCount: 1 }) });
  push({ candidates: [candidate('', { finishReason: 'STOP' })] });
  expect(reader.complete).toBe(false);
  push({ usageMetadata: totalled({ promptTokenCount: 10, candidatesTokenCount: 500 }) });
  expect(reader.complete).toBe(true);
  expect(reader.usage()?.inferences[0]?.tokens).toEqual({ input: 10, output: 500 });
});
