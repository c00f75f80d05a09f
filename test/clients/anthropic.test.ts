import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { type Service, startService } from '../service.ts';
import { expectOnlyProviderKeys, summaryOf } from './clients.ts';

let double: ProviderDouble;
let service: Service;
let client: Anthropic;
beforeAll(async () => {
  double = await startProviderDouble();
  service = await startService({ urls: double.urls });
  const apiKey = await service.createKey('anthropic');
  const baseURL = `${service.baseUrl}/api/proxy/anthropic`;
  const defaultHeaders = { 'x-svc-tags': 'feature=weather' };
  client = new Anthropic({ apiKey, baseURL, maxRetries: 0, defaultHeaders });
});
afterAll(async () => {
  await service?.close();
  await double?.close();
});

const question = {
  model: 'claude-haiku-4-5',
  max_tokens: 100,
  messages: [{ role: 'user' as const, content: 'What is the weather?' }],
};
const weather = { name: 'weather', input: { city: 'Oslo' } };

test("create, stream and tool use return the provider's answer, and the ledger has their usage", async () => {
  double.plan({ pieces: ['Rain', '.'], tokens: { input: 100, output: 10, cacheRead: 50 } });
  const created = await client.messages.create(question);
  expect(created.content).toMatchObject([{ type: 'text', text: 'Rain.' }]);
  expect(created.usage).toMatchObject({ input_tokens: 100, output_tokens: 10, cache_read_input_tokens: 50 });

  double.plan({
    pieces: ['Snow', ' and', ' ice.'],
    tokens: { input: 200, output: 20 },
    encoding: 'gzip',
    splitBytes: 50,
  });
  const texts: string[] = [];
  const stream = client.messages.stream(question).on('text', (text) => texts.push(text));
  expect(await stream.finalMessage()).toMatchObject({ usage: { input_tokens: 200, output_tokens: 20 } });
  expect(texts).toEqual(['Snow', ' and', ' ice.']);

  const tools = [{ name: 'weather', input_schema: { type: 'object' as const } }];
  double.plan({ tool: weather, tokens: { input: 300, output: 30 } });
  const called = await client.messages.stream({ ...question, tools }).finalMessage();
  expect(called.stop_reason).toBe('tool_use');
  expect(called.content).toMatchObject([{ type: 'text' }, { type: 'tool_use', ...weather }]);

  const summary = await summaryOf(service, 3);
  expect(summary).toMatchObject({ totalCalls: 3, totalInputTokens: 650, totalOutputTokens: 60 });
  // $1, $0.10 and $5 per million tokens: uncached input, cache reads, output.
  expect(summary.totalCost).toBeCloseTo((600 * 1 + 50 * 0.1 + 60 * 5) / 1e6, 12);
});

test('counting tokens and listing models work and are not recorded', async () => {
  double.plan({ tokens: { input: 14 } });
  const { model, messages } = question;
  expect(await client.messages.countTokens({ model, messages })).toMatchObject({ input_tokens: 14 });
  const models = await client.models.list({ limit: 1000 });
  expect(models.data.map(({ id }) => id)).toEqual(['listed-model']);
  expect((await summaryOf(service, 3)).totalCalls).toBe(3);
});

test('a provider error raises the class of its status, with its headers', async () => {
  double.plan({ status: 429, message: 'Slow down.', headers: { 'retry-after': '7' } });
  const error = await client.messages.create(question).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(Anthropic.RateLimitError);
  expect(error).toMatchObject({ status: 429, error: { error: { message: 'Slow down.' } } });
  expect((error as InstanceType<typeof Anthropic.APIError>).headers?.get('retry-after')).toBe('7');
});

test('an error event in a stream raises an error', async () => {
  double.plan({ errorAfter: 4 });
  await expect(client.messages.stream(question).finalMessage()).rejects.toThrow('Overloaded');
});

test("a tag sent as a header is in the ledger and doesn't reach the provider", async () => {
  const { totalCalls: calls } = await summaryOf(service, 5);
  const rows = await service.report<unknown>('/api/mcp/usage/by-tag?tagKey=feature');
  expect(rows).toMatchObject([{ value: 'weather', calls }]);
});

test('a stream with a requested cost has it in its last event, and the library reads the message unchanged', async () => {
  const asking = client.withOptions({ defaultHeaders: { 'x-svc-cost': 'include' } });
  for (const plan of [{}, { encoding: 'gzip' as const }, { splitBytes: 7 }]) {
    double.plan({ pieces: ['Rain', '.'], tokens: { input: 200, output: 20 }, ...plan });
    const last: unknown[] = [];
    const stream = asking.messages.stream(question).on('streamEvent', (event) => last.splice(0, 1, event));
    const message = await stream.finalMessage();
    expect(message).toMatchObject({ usage: { input_tokens: 200, output_tokens: 20 }, stop_reason: 'end_turn' });
    // $1 and $5 per million tokens.
    expect([plan, last]).toEqual([
      plan,
      [plan.encoding ? { type: 'message_stop' } : { type: 'message_stop', svc_cost_usd: 0.0003 }],
    ]);
  }
});

test('only provider keys reach the provider', () => expectOnlyProviderKeys(double.requests));
