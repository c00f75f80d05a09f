import { describe, expect, test } from 'vitest';
import { NO_TERMS } from '../../domain/usage/usage.ts';
import { readBody } from '../contract/read-body.ts';
import { answerHead, replay, sse } from '../contract/replay.ts';

const CHAT = { model: 'command-r7b-12-2024', messages: [{ role: 'user', content: 'Hello' }] };
const USAGE = {
  billed_units: { input_tokens: 4, output_tokens: 21 },
  tokens: { input_tokens: 498, output_tokens: 24 },
  cached_tokens: 480,
};
const BILLED = {
  inferences: [{ model: null, tokens: { input: 4, output: 21 }, promptTokens: 4 }],
  uses: {},
  thinking: 0,
  terms: NO_TERMS,
};

const read = (address: string, request: object, answer: string, type = 'application/json') => {
  const facts = readBody(`cohere/v2/${address}`, request);
  return replay(() => facts.openReader(answerHead(type)), answer);
};
const readJson = (address: string, request: object, answer: object) => read(address, request, JSON.stringify(answer));

/** Cohere docs, "A Guide to Streaming Responses". */
const stream = (...last: readonly string[]): string =>
  [
    event({ type: 'message-start', id: 'c1', delta: { message: { role: 'assistant', content: [], tool_calls: [] } } }),
    event({ type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } }),
    event({ type: 'content-delta', index: 0, delta: { message: { content: { text: 'Hi there' } } } }),
    event({ type: 'content-end', index: 0 }),
    event({ type: 'tool-plan-delta', delta: { message: { tool_plan: 'plan' } } }),
    event({
      type: 'tool-call-delta',
      index: 0,
      delta: { message: { tool_calls: { function: { arguments: '{"a":1}' } } } },
    }),
    ...last,
  ].join('');
const event = (data: { readonly type: string; readonly [name: string]: unknown }): string => sse(data, data.type);
const end = (delta: object): string => event({ type: 'message-end', id: 'c1', delta });

describe('an answer of a chat', () => {
  test('costs its billed units, not the tokens that were read', () => {
    const message = { role: 'assistant', content: [{ type: 'text', text: 'Hi there' }] };
    const answer = { id: 'c1', finish_reason: 'COMPLETE', message, usage: USAGE };
    expect(readJson('chat', CHAT, answer)).toEqual({
      complete: true,
      errored: false,
      model: null,
      responseId: 'c1',
      outputBytes: 8,
      usage: BILLED,
      output: null,
    });
  });

  test('has them at the end of a stream', () => {
    const body = stream(end({ finish_reason: 'COMPLETE', usage: USAGE }));
    expect(read('chat', { ...CHAT, stream: true }, body, 'text/event-stream')).toEqual({
      complete: true,
      errored: false,
      model: null,
      responseId: 'c1',
      outputBytes: 8 + 4 + 7,
      usage: BILLED,
      output: null,
    });
  });

  test('is not complete without the end of its stream', () => {
    expect(read('chat', CHAT, stream(), 'text/event-stream')).toMatchObject({ complete: false, usage: null });
  });

  test.each(['ERROR', 'TIMEOUT'])('is broken off by %s, and the sentence of the error is not kept', (reason) => {
    const body = stream(end({ error: 'We could not answer "Hello".', finish_reason: reason }));
    expect(read('chat', CHAT, body, 'text/event-stream')).toMatchObject({ errored: true, usage: null });
  });
});

describe('an answer with embeddings', () => {
  const embed = { model: 'embed-v4.0', texts: ['Hello'], input_type: 'classification' };
  const units = (billed_units: object) => ({ id: 'e1', embeddings: { float: [[0.1, 0.2]] }, meta: { billed_units } });

  test('costs its billed tokens, those of pictures in a class of their own', () => {
    expect(readJson('embed', embed, units({ input_tokens: 3 })).usage?.inferences).toEqual([
      { model: null, tokens: { input: 3 }, promptTokens: 3 },
    ]);
    expect(readJson('embed', embed, units({ input_tokens: 3, image_tokens: 900 })).usage?.inferences).toEqual([
      { model: null, tokens: { input: 3, inputImage: 900 }, promptTokens: 903 },
    ]);
  });

  test('has an unknown cost with pictures that are billed by number, or without units', () => {
    expect(readJson('embed', embed, units({ images: 2, input_tokens: 0 })).usage).toBeNull();
    expect(readJson('embed', embed, units({})).usage).toBeNull();
  });
});

test('an order of documents costs its searches, or its tokens', () => {
  const rank = { query: 'Hello', documents: ['a', 'b'] };
  const meta = (billed_units: object) => ({
    id: 'r1',
    results: [{ index: 0, relevance_score: 0.9 }],
    meta: { billed_units },
  });
  expect(readJson('rerank', { ...rank, model: 'rerank-v4.0-pro' }, meta({ search_units: 1 })).usage).toMatchObject({
    uses: { rerankSearch: 1 },
  });
  expect(readJson('rerank', { ...rank, model: 'rerank-v5.0-pro' }, meta({ input_tokens: 14 })).usage).toMatchObject({
    inferences: [{ tokens: { input: 14 } }],
  });
});
