import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { type Service, startService } from '../service.ts';
import { summaryOf } from './clients.ts';

let double: ProviderDouble;
let service: Service;
beforeAll(async () => {
  double = await startProviderDouble();
  const url = `${double.urls.openai}/v1`;
  service = await startService({ urls: { ollama: url, litellm: url } });
});
afterAll(async () => {
  await service?.close();
  await double?.close();
});

const messages = [{ role: 'user' as const, content: 'What is the weather?' }];
const clientOf = (provider: string, apiKey: string): OpenAI =>
  new OpenAI({ apiKey, baseURL: `${service.baseUrl}/api/proxy/${provider}/v1`, maxRetries: 0 });

test('a server without keys needs no provider key, and costs nothing only once its price is 0', async () => {
  const created = await service.command<{ key: string }>(['keys', 'create', '--provider', 'ollama', '--name', 'own']);
  const client = clientOf('ollama', created.key);
  const ask = () => client.chat.completions.create({ model: 'llama-home', messages });
  await ask();
  expect(await summaryOf(service, 1)).toMatchObject({ totalCost: 0, unpricedCalls: 1 });
  await service.command(['prices', 'set', 'ollama', 'llama-home', '--input', '0', '--output', '0']);
  await ask();
  // The first call may have got the new price too.
  const { totalCost, unpricedCalls = 0 } = await summaryOf(service, 2);
  expect(totalCost).toBe(0);
  expect(unpricedCalls).toBeLessThan(2);
  expect(double.requests.at(-1)?.headers.authorization).toBe('Bearer none');
});

test('a provider that needs a key is not created without one', async () => {
  const args = ['keys', 'create', '--provider', 'groq', '--name', 'none'];
  await expect(service.command(args)).rejects.toThrow(/--provider-key-stdin/);
});

test('the cost that LiteLLM states in a header is the cost of the call', async () => {
  const client = clientOf('litellm', await service.createKey('litellm'));
  const before = (await summaryOf(service, 2)).totalCost;
  double.plan({ headers: { 'x-litellm-response-cost': '0.0025' } });
  await client.chat.completions.create({ model: 'team-model', messages });
  expect((await summaryOf(service, 3)).totalCost - before).toBeCloseTo(0.0025, 12);
});
