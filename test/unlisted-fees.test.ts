import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ProviderName } from '../src/demo/answers/answer.ts';
import { buildProviders } from '../src/providers/providers.ts';
import { startTestGateway, TEST_GATEWAY_SECRET } from './gateway.ts';

// Where a request lets the provider charge a fee that no price list has, its cost is never recorded as exact.

let answer = {};
const provider = createServer((req, res) => {
  req.resume().on('end', () => {
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
}).listen(0, '127.0.0.1');
let address: string;
beforeAll(async () => {
  if (!provider.listening) await once(provider, 'listening');
  address = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
});
afterAll(() => provider.close());

let close = (): unknown => null;
afterEach(async () => {
  await close();
});

async function record(name: string, path: string, body: object) {
  const urls: Partial<Record<ProviderName | 'groq', string>> = { [name]: address };
  const { gateway, entries, url } = await startTestGateway(buildProviders({ urls, custom: [] }), { provider: name });
  close = () => gateway.close(0);
  const response = await fetch(`${url}/api/proxy/${name}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'x-svc-key': TEST_GATEWAY_SECRET, 'content-type': 'application/json' },
  });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  expect(JSON.parse(text)).toEqual(answer);
  const [entry] = entries();
  return { entry, costHeader: response.headers.get('x-svc-cost-usd') };
}

describe('Anthropic', () => {
  const messages = [{ role: 'user', content: 'Hello' }];
  const body = { model: 'claude-haiku-4-5', max_tokens: 10, messages };
  const ask = (more: object) => {
    answer = {
      id: 'msg_1',
      type: 'message',
      model: 'claude-haiku-4-5',
      content: [],
      stop_reason: 'end_turn',
      usage: { input_tokens: 10, output_tokens: 10 },
    };
    return record('anthropic', '/v1/messages', { ...body, ...more });
  };

  test.each([{ a_new_field: { runs: 'something' } }, { tools: [{ type: 'new_server_tool_20270101', name: 'new' }] }])(
    'an unknown field or tool may have a fee: %j',
    async (more) => {
      const { entry, costHeader } = await ask(more);
      expect(entry).toMatchObject({ outcome: 'completed', uncertainReason: 'unlisted_fee', cost: 60_000 });
      expect(costHeader).toBeNull();
    },
  );

  test.each([
    { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] },
    { tools: [{ name: 'mine', input_schema: { type: 'object' } }] },
  ])('a known tool has none, even without a maximum: %j', async (more) => {
    const { entry, costHeader } = await ask(more);
    expect(entry).toMatchObject({ uncertainReason: null, cost: 60_000 });
    expect(costHeader).toBe('0.000060000');
  });
});

test.each([
  ['gemini-2.5-flash', null],
  ['gemini-3.5-flash', 'unlisted_fee'],
])('%s with Google Maps has its fee in the cost, or is uncertain', async (modelVersion, uncertainReason) => {
  const groundingMetadata = { groundingChunks: [{ maps: { title: 'A place' } }] };
  const content = { role: 'model', parts: [{ text: 'There.' }] };
  answer = {
    candidates: [{ content, finishReason: 'STOP', groundingMetadata }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 0, totalTokenCount: 10 },
    modelVersion,
  };
  const contents = [{ role: 'user', parts: [{ text: 'Where?' }] }];
  const path = `/v1beta/models/${modelVersion}:generateContent`;
  const { entry } = await record('google', path, { contents, tools: [{ googleMaps: {} }] });
  expect(entry).toMatchObject({ outcome: 'completed', uncertainReason });
  if (uncertainReason === null) expect(entry?.cost).toBe(25_000_000 + 3_000);
});

test.each([
  ['a tool of Groq', { tools: [{ type: 'browser_search' }] }, {}],
  ['a tool that Groq ran unasked', {}, { executed_tools: [{ type: 'search', arguments: '{}' }] }],
])('%s has a fee that no response contains', async (_what, more, did) => {
  answer = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model: 'openai/gpt-oss-120b',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello', ...did }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 },
  };
  const body = { model: 'openai/gpt-oss-120b', messages: [{ role: 'user', content: 'Hello' }], ...more };
  const { entry } = await record('groq', '/chat/completions', body);
  expect(entry).toMatchObject({ outcome: 'completed', uncertainReason: 'unlisted_fee' });
  expect(entry?.cost).toBeGreaterThan(0);
});
