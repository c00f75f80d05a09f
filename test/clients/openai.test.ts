import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { type Service, startService } from '../service.ts';
import { expectOnlyProviderKeys, summaryOf } from './clients.ts';

let double: ProviderDouble;
let service: Service;
let client: OpenAI;
beforeAll(async () => {
  double = await startProviderDouble();
  service = await startService({ urls: double.urls });
  const apiKey = await service.createKey('openai');
  client = new OpenAI({ apiKey, baseURL: `${service.baseUrl}/api/proxy/openai`, maxRetries: 0 });
});
afterAll(async () => {
  await service?.close();
  await double?.close();
});

const model = 'gpt-4o-mini';
const messages = [{ role: 'user' as const, content: 'What is the weather?' }];
const weather = { name: 'weather', input: { city: 'Oslo' } };

test('chat completions: JSON, stream, with a tool; a client that did not request usage gets no usage chunk', async () => {
  double.plan({ pieces: ['Rain.'], tokens: { input: 100, output: 10, cacheRead: 20 } });
  const created = await client.chat.completions.create({ model, messages });
  expect(created.choices[0]?.message.content).toBe('Rain.');
  expect(created.usage).toMatchObject({ prompt_tokens: 120, completion_tokens: 10 });

  double.plan({ pieces: ['Snow', ' and', ' ice.'], tokens: { input: 200, output: 20 } });
  const texts: string[] = [];
  for await (const chunk of await client.chat.completions.create({ model, messages, stream: true })) {
    expect(chunk.choices).toHaveLength(1);
    expect(chunk.usage ?? null).toBeNull();
    texts.push(chunk.choices[0]?.delta.content ?? '');
  }
  expect(texts.join('')).toBe('Snow and ice.');

  double.plan({ tool: weather, tokens: { input: 300, output: 30 } });
  const tools = [{ type: 'function' as const, function: { name: 'weather' } }];
  const options = { model, messages, tools, stream: true, stream_options: { include_usage: true } } as const;
  const calls: unknown[] = [];
  let usage: unknown = null;
  for await (const chunk of await client.chat.completions.create(options)) {
    calls.push(...(chunk.choices[0]?.delta.tool_calls ?? []));
    usage = chunk.usage ?? usage;
  }
  expect(calls).toMatchObject([{ function: { name: 'weather', arguments: '{"city":"Oslo"}' } }]);
  expect(usage).toMatchObject({ prompt_tokens: 300, completion_tokens: 30 });

  const summary = await summaryOf(service, 3);
  expect(summary).toMatchObject({ totalCalls: 3, totalInputTokens: 620, totalOutputTokens: 60 });
  // $0.15, $0.075 and $0.60 per million tokens: uncached input, cache reads, output.
  expect(summary.totalCost).toBeCloseTo((600 * 0.15 + 20 * 0.075 + 60 * 0.6) / 1e6, 12);
});

test('responses: JSON and stream, with a tool', async () => {
  double.plan({ pieces: ['Rain.'], tokens: { input: 100, output: 10 } });
  const created = await client.responses.create({ model, input: 'Hello' });
  expect(created.output_text).toBe('Rain.');

  double.plan({ pieces: ['Sn', 'ow.'], tool: weather, tokens: { input: 200, output: 20 } });
  let text = '';
  let completed: OpenAI.Responses.Response | null = null;
  for await (const event of await client.responses.create({ model, input: 'Hello', stream: true })) {
    if (event.type === 'response.output_text.delta') text += event.delta;
    if (event.type === 'response.completed') completed = event.response;
  }
  expect(text).toBe('Snow.');
  expect(completed?.usage).toMatchObject({ input_tokens: 200, output_tokens: 20 });
  expect(completed?.output).toMatchObject([{ type: 'message' }, { type: 'function_call', name: 'weather' }]);
  expect(await summaryOf(service, 5)).toMatchObject({ totalCalls: 5, totalInputTokens: 920, totalOutputTokens: 90 });
});

test('embeddings are recorded, listing models is not', async () => {
  double.plan({ tokens: { input: 8 } });
  const embeddings = await client.embeddings.create({ model: 'text-embedding-3-small', input: 'Hello' });
  expect(embeddings.data[0]?.embedding).toEqual([0.25, -0.5, 0.125]);
  const models = await client.models.list();
  expect(models.data.map(({ id }) => id)).toEqual(['listed-model']);
  expect(await summaryOf(service, 6)).toMatchObject({ totalCalls: 6, totalInputTokens: 928, totalOutputTokens: 90 });
});

test('a base URL that ends in /v1 works too', async () => {
  double.plan({ pieces: ['Rain.'] });
  const other = client.withOptions({ baseURL: `${service.baseUrl}/api/proxy/openai/v1` });
  const created = await other.chat.completions.create({ model, messages });
  expect(created.choices[0]?.message.content).toBe('Rain.');
});

test('a provider error raises the class of its status', async () => {
  double.plan({ status: 429, message: 'Slow down.' });
  const error = await client.chat.completions.create({ model, messages }).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(OpenAI.RateLimitError);
  expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded', error: { message: 'Slow down.' } });
});

test('streams with a requested cost have it at their end, and the library reads the rest unchanged', async () => {
  const asking = client.withOptions({ defaultHeaders: { 'x-svc-cost': 'include' } });
  for (const splitBytes of [undefined, 7]) {
    for (const more of [{}, { stream_options: { include_usage: true } }]) {
      double.plan({ pieces: ['Snow', '.'], tokens: { input: 200, output: 20 }, ...(splitBytes && { splitBytes }) });
      const completion = await asking.chat.completions.stream({ model, messages, ...more }).finalChatCompletion();
      // $0.15 and $0.60 per million tokens.
      expect(completion).toMatchObject({ svc_cost_usd: 0.000_042, choices: [{ message: { content: 'Snow.' } }] });
    }
    double.plan({ pieces: ['Snow', '.'], tokens: { input: 200, output: 20 }, ...(splitBytes && { splitBytes }) });
    let last: OpenAI.Responses.ResponseStreamEvent | null = null;
    for await (const event of await client.responses.create(
      { model, input: 'Hello', stream: true },
      { headers: { 'x-svc-cost': 'include' } },
    ))
      last = event;
    expect(last).toMatchObject({
      type: 'response.completed',
      svc_cost_usd: 0.000_042,
      response: { status: 'completed' },
    });
  }
});

test('only provider keys reach the provider', () => expectOnlyProviderKeys(double.requests));
