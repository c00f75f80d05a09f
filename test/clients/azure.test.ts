import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { AzureOpenAI } from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { PROVIDER_KEY, type Service, startService } from '../service.ts';
import { expectOnlyProviderKeys, summaryOf } from './clients.ts';

let double: ProviderDouble;
let service: Service;
let base: string;
beforeAll(async () => {
  double = await startProviderDouble();
  service = await startService({ urls: double.urls });
  base = `${service.baseUrl}/api/proxy`;
  const openai = ['providers', 'add', 'azure', `${double.urls.openai}/v1`, '--kind', 'azure-openai'];
  await service.command([...openai, '--deployment', 'prod-chat=gpt-4o-mini']);
  const claude = ['providers', 'add', 'foundry', double.urls.anthropic, '--kind', 'azure-anthropic'];
  await service.command([...claude, '--deployment', 'prod-claude=claude-haiku-4-5']);
});
afterAll(async () => {
  await service?.close();
  await double?.close();
});

const messages = [{ role: 'user' as const, content: 'What is the weather?' }];

test('both clients of the OpenAI library reach Azure, and a deployment costs what its model costs', async () => {
  const apiKey = await service.createKey('azure');
  const client = new OpenAI({ apiKey, baseURL: `${base}/azure/openai/v1/`, maxRetries: 0 });
  double.plan({ tokens: { input: 100, output: 10 } }, { tokens: { input: 200, output: 20 } });
  await client.responses.create({ model: 'prod-chat', input: 'Hello' });
  const older = new AzureOpenAI({ apiKey, endpoint: `${base}/azure`, apiVersion: '2024-10-21', maxRetries: 0 });
  let text = '';
  for await (const chunk of await older.chat.completions.create({ model: 'prod-chat', messages, stream: true }))
    text += chunk.choices[0]?.delta.content ?? '';
  expect(text).not.toBe('');

  const calls = double.requests.filter(({ method }) => method === 'POST');
  expect(calls.map(({ path }) => path)).toEqual(['/v1/responses', '/v1/chat/completions']);
  for (const { headers, body } of calls) {
    expect(headers).toMatchObject({ 'api-key': PROVIDER_KEY });
    expect(headers.authorization).toBeUndefined();
    expect(JSON.parse(body.toString())).toMatchObject({ model: 'prod-chat' });
  }
  // The double answers with the name of the deployment. $0.15 and $0.60 per million tokens.
  const summary = await summaryOf(service, 2);
  expect(summary.totalCost).toBeCloseTo((300 * 0.15 + 30 * 0.6) / 1e6, 12);
  expect(summary).toMatchObject({ byModel: { 'gpt-4o-mini': { calls: 2 } } });
});

test('the Anthropic library reaches Claude on Foundry', async () => {
  const apiKey = await service.createKey('foundry');
  const client = new Anthropic({ apiKey, baseURL: `${base}/foundry/anthropic/`, maxRetries: 0 });
  double.plan({ tokens: { input: 100, output: 10 } });
  const before = (await summaryOf(service, 2)).totalCost;
  await client.messages.create({ model: 'prod-claude', max_tokens: 64, messages });
  const { headers, path } = double.requests.at(-1)!;
  expect(path).toBe('/v1/messages');
  expect(headers).toMatchObject({ 'x-api-key': PROVIDER_KEY });
  // $1 and $5 per million tokens.
  expect((await summaryOf(service, 3)).totalCost - before).toBeCloseTo((100 * 1 + 10 * 5) / 1e6, 12);
});

test('a key works again after its provider was removed and added with other deployments', async () => {
  const apiKey = await service.createKey('foundry');
  const client = new Anthropic({ apiKey, baseURL: `${base}/foundry`, maxRetries: 0 });
  await service.command(['providers', 'remove', 'foundry']);
  const ask = (model: string) => client.messages.create({ model, max_tokens: 64, messages });
  await expect(ask('prod-claude')).rejects.toThrow(/no provider .*foundry/);
  const claude = ['providers', 'add', 'foundry', double.urls.anthropic, '--kind', 'azure-anthropic'];
  await service.command([...claude, '--deployment', 'prod-opus=claude-opus-4-5']);
  double.plan({ tokens: { input: 100, output: 10 } });
  const before = (await summaryOf(service, 3)).totalCost;
  await ask('prod-opus');
  // $5 and $25 per million tokens.
  expect((await summaryOf(service, 4)).totalCost - before).toBeCloseTo((100 * 5 + 10 * 25) / 1e6, 12);
});

test('an answer that names its model costs that model, also where another deployment has this name', async () => {
  const url = `${double.urls.openai}/v1`;
  const deployments = ['--deployment', 'chat=gpt-4o-mini', '--deployment', 'gpt-4o-mini=gpt-4o'];
  await service.command(['providers', 'add', 'named', url, '--kind', 'azure-openai', ...deployments]);
  const apiKey = await service.createKey('named');
  const client = new OpenAI({ apiKey, baseURL: `${base}/named/openai/v1/`, maxRetries: 0 });
  const { totalCalls, totalCost } = await summaryOf(service, 0);
  double.plan({ tokens: { input: 100, output: 10 }, model: 'gpt-4o-mini' });
  await client.responses.create({ model: 'chat', input: 'Hello' });
  // $0.15 and $0.60 per million tokens.
  const cost = (await summaryOf(service, totalCalls + 1)).totalCost - totalCost;
  expect(cost).toBeCloseTo((100 * 0.15 + 10 * 0.6) / 1e6, 12);
});

test('under a limit in dollars, a deployment without a model is refused before it leaves', async () => {
  const apiKey = await service.createKey('azure');
  const client = new OpenAI({ apiKey, baseURL: `${base}/azure/openai/v1`, maxRetries: 0 });
  await service.command(['limits', 'set', '--unit', 'usd', '--amount', '5', '--window', 'total']);
  await client.chat.completions.create({ model: 'prod-chat', messages, max_tokens: 20 });
  const before = double.requests.length;
  await expect(client.chat.completions.create({ model: 'prod-other', messages })).rejects.toThrow(/prod-other.*price/);
  expect(double.requests).toHaveLength(before);
});

test('only provider keys reach the provider', () => expectOnlyProviderKeys(double.requests));
