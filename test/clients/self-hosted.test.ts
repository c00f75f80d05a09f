import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KeyClients } from '../../src/contract/keys.ts';
import type { EntryShape } from '../../src/contract/entries.ts';
import type { ProviderTest } from '../../src/contract/providers.ts';
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

test('a server that asks for a key says so when none is given, with the way to give it', async () => {
  const server = createServer((_, response) => response.writeHead(401).end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  await service.command(['providers', 'add', 'guarded', url]);
  const create = service.command(['keys', 'create', '--provider', 'guarded', '--name', 'guarded']);
  await expect(create).rejects.toThrow(/guarded asks for a provider key \(status 401\).*--provider-key-stdin/);
  server.close();
});

test('the lines for clients name a model whose price was set', async () => {
  await service.command(['providers', 'add', 'named', `${double.urls.openai}/v1`]);
  await service.command(['keys', 'create', '--provider', 'named', '--name', 'named']);
  const lines = async (): Promise<string> =>
    (await service.command<KeyClients>(['keys', 'clients', 'named'])).clients.flatMap((one) => one.lines).join('\n');
  expect(await lines()).toContain("model: 'MODEL'");
  await service.command(['prices', 'set', 'named', 'vendor/model-1', '--input', '1', '--output', '1']);
  expect(await lines()).toContain("model: 'vendor/model-1'");
  expect(await lines()).not.toContain('MODEL');
});

describe('a test call of an own provider', () => {
  const send = (...more: string[]) =>
    service.command<ProviderTest>(['providers', 'test', 'lab', '--model', 'lab-1', ...more]);

  test('says how to create the key that it needs', async () => {
    await service.command(['providers', 'add', 'lab', `${double.urls.openai}/v1`]);
    await expect(send()).rejects.toThrow(/has no active wrapped key.*keys create --provider lab/);
  });

  test('is a call like any other of its key: recorded, priced, limited, and short', async () => {
    await service.command(['keys', 'create', '--provider', 'lab', '--name', 'lab']);
    const unpriced = await send();
    expect(unpriced).toMatchObject({ reached: true, status: 200, problem: null, cost: null });
    expect(unpriced.inputTokens).toBeGreaterThan(0);
    expect(unpriced.outputTokens).toBeGreaterThan(0);
    expect(JSON.parse(String(double.requests.at(-1)?.body))).toMatchObject({ model: 'lab-1', max_tokens: 16 });
    await service.command(['prices', 'set', 'lab', 'lab-1', '--input', '1', '--output', '2']);
    const priced = await send('--key', 'lab');
    expect(priced.cost).toBeCloseTo(((priced.inputTokens ?? 0) + 2 * (priced.outputTokens ?? 0)) / 1e6, 12);
    const entry = await service.report<EntryShape>(`/api/mcp/entries/${priced.callId}`);
    expect(entry).toMatchObject({ provider: 'lab', keyId: priced.keyId, requestId: priced.requestId });
    await service.command(['limits', 'set', '--key', 'lab', '--unit', 'calls', '--amount', '0', '--window', 'day']);
    const sent = double.requests.length;
    await expect(send()).rejects.toThrow(/The test call of lab failed: .*limit/);
    expect(double.requests.length).toBe(sent);
  });

  test('that fails says why, without the secret of the call', async () => {
    await service.command(['providers', 'add', 'away', 'http://127.0.0.1:9/v1']);
    await service.command(['keys', 'create', '--provider', 'away', '--name', 'away']);
    const failed = await service
      .command(['providers', 'test', 'away', '--model', 'm'])
      .catch((error: unknown) => String(error));
    expect(failed).toMatch(/The test call of away failed: .*(?:reach|connect)/i);
    expect(failed).not.toContain('svc_sk_');
    expect(service.output()).not.toMatch(/svc_sk_[0-9a-f]{64}/);
  });
});
