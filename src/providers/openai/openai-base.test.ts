import { describe, expect, test } from 'vitest';
import { answerHead, replay, sse } from '../contract/replay.ts';
import { readBody } from '../contract/read-body.ts';
import { PROVIDERS } from '../providers.ts';
import type { RequestFacts } from '../provider.ts';

const GEMINI = 'google/v1beta/openai';
const messages = [{ role: 'user', content: 'Hi' }];
const chat = (address: string, more = {}): RequestFacts =>
  readBody(`${address}/chat/completions`, { model: 'some-model', messages, ...more });
const reading = (facts: RequestFacts, body: string, type = 'application/json') =>
  replay(() => facts.openReader(answerHead(type)), body);
const answer = (usage: object) =>
  JSON.stringify({ id: 'x', model: 'm', choices: [{ message: { content: 'Hi' } }], usage });

test.each([
  ['anthropic', '/v1/chat/completions', '/v1/chat/completions'],
  ['anthropic', '/chat/completions', '/v1/chat/completions'],
  ['google', '/v1beta/openai/chat/completions', '/v1beta/openai/chat/completions'],
  ['google', '/v1beta/openai/embeddings/', '/v1beta/openai/embeddings'],
])('%s serves %s with its key as a bearer', (id, path, upstream) => {
  const route = PROVIDERS.find((each) => each.id === id)?.route('POST', path);
  if (route?.kind !== 'inference') throw new Error(`${path} is not served`);
  const body = JSON.stringify({ model: 'some-model', messages, input: 'Hi' });
  expect(route.readRequest(Buffer.from(body)).upstreamPath).toBe(upstream);
  const headers = { 'x-api-key': 'a', 'x-goog-api-key': 'b', accept: '*/*' };
  route.authorize?.(headers, 'provider-key');
  expect(headers).toEqual({ accept: '*/*', authorization: 'Bearer provider-key' });
});

test('models of both are listed, other methods and paths are refused', () => {
  const route = (id: string, method: string, path: string) =>
    PROVIDERS.find((each) => each.id === id)?.route(method, path);
  expect(route('google', 'GET', '/v1beta/openai/models')).toEqual({
    kind: 'free',
    upstreamPath: '/v1beta/openai/models',
  });
  expect(route('google', 'GET', '/v1beta/openai/chat/completions')).toMatchObject({ status: 405 });
  expect(route('google', 'POST', '/v1beta/openai/images/generations')).toMatchObject({ status: 404 });
  expect(route('google', 'POST', '/v1beta/openai')).toMatchObject({ status: 404 });
  expect(route('anthropic', 'GET', '/v1/chat/completions')).toMatchObject({ status: 405 });
});

describe('usage in OpenAI’s form', () => {
  test('of Gemini has thinking in its total alone, whole and as a stream', () => {
    const usage = { prompt_tokens: 20, completion_tokens: 151, total_tokens: 553 };
    const tokens = { input: 20, output: 533 };
    expect(reading(chat(GEMINI), answer(usage)).usage).toMatchObject({ inferences: [{ tokens }] });
    const chunk = sse({ id: 'x', choices: [{ delta: { content: 'Hi' } }] });
    const stream = chat(GEMINI, { stream: true });
    const whole = reading(
      stream,
      `${chunk}${sse({ id: 'x', choices: [], usage })}${sse('[DONE]')}`,
      'text/event-stream',
    );
    expect(whole).toMatchObject({ complete: true, usage: { inferences: [{ tokens }] } });
    expect(whole.output).not.toContain('usage');
    expect(reading(stream, chunk, 'text/event-stream')).toMatchObject({ complete: false, usage: null });
  });

  test('of Claude names all tokens, and one that does not add up is unknown', () => {
    const usage = { prompt_tokens: 20, completion_tokens: 151, total_tokens: 171 };
    expect(reading(chat('anthropic'), answer(usage)).usage).toMatchObject({
      inferences: [{ tokens: { input: 20, output: 151 } }],
    });
    expect(reading(chat('anthropic'), answer({ ...usage, total_tokens: 172 })).usage).toBeNull();
  });
});

describe('the cost bound in OpenAI’s form', () => {
  test('is that of the output maximum', () => {
    expect(chat(GEMINI, { max_tokens: 50 }).demand).toMatchObject({ outputMax: 50, work: { unbounded: null } });
    expect(chat('anthropic', { max_completion_tokens: 50 }).demand).toMatchObject({
      outputMax: 50,
      work: { unbounded: null },
    });
  });

  test.each<[string, string, object]>([
    [
      'sound, whose price is another',
      GEMINI,
      { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AA' } }] }] },
    ],
    ['pictures in the answer', GEMINI, { model: 'gemini-3-pro-image' }],
    ['an unknown field', GEMINI, { extra_body: { google: { cached_content: 'cachedContents/a' } } }],
    ['an unknown field', 'anthropic', { speed: 'fast' }],
  ])('does not exist with %s', (_name, address, more) => {
    expect(chat(address, more).demand.work).toMatchObject({ unbounded: expect.any(String), hasUnlistedFee: true });
  });
});
