import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { eventually, type Service, startService } from '../service.ts';
import { expectOnlyProviderKeys } from './clients.ts';

let double: ProviderDouble;
let service: Service;
let client: OpenAI;
beforeAll(async () => {
  double = await startProviderDouble();
  service = await startService({ urls: double.urls });
  const apiKey = await service.createKey('openai');
  client = new OpenAI({ apiKey, baseURL: `${service.baseUrl}/api/proxy/openai/v1`, maxRetries: 0 });
});
afterAll(async () => {
  await service?.close();
  await double?.close();
});

const model = 'gpt-5.4';
const usage = { input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100 };
const response = (id: string, status: string, more = {}) => ({
  id,
  object: 'response',
  model,
  status,
  output: [],
  ...more,
});
const newest = async () =>
  (
    await service.report<{ entries: { cost: number | null; uncertainReason: string | null }[] }>(
      '/api/mcp/entries?limit=1',
    )
  ).entries[0];

test('a response in the background costs what it used, read by the gateway itself when it has ended', async () => {
  await service.command(['limits', 'set', '--unit', 'usd', '--amount', '5', '--window', 'month']);
  double.plan(
    { body: JSON.stringify(response('resp_1', 'queued', { usage: null })) },
    // The gateway asks as soon as the call is in the ledger.
    { body: JSON.stringify(response('resp_1', 'completed', { usage })) },
  );
  const created = await client.responses.create({ model, input: 'Hello', background: true });
  expect(created.status).toBe('queued');
  const cost = (1_000 * 2.5 + 100 * 15) / 1e6;
  await eventually(newest, (entry) => entry?.cost === cost && entry.uncertainReason === null);
  const counted = async () =>
    Number((await service.report<{ limits: { counted: number }[] }>('/api/manage/limits')).limits[0]?.counted);
  await eventually(counted, (amount) => Math.abs(amount - cost) < 1e-9);
  expect(double.requests.slice(1).map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /v1/responses',
    'GET /v1/responses/resp_1',
  ]);

  // The client's own question is free, and changes nothing.
  double.plan({ body: JSON.stringify(response('resp_1', 'completed', { usage })) });
  expect((await client.responses.retrieve('resp_1')).status).toBe('completed');
  expect(await service.report('/api/mcp/usage/summary')).toMatchObject({ totalCalls: 1, totalCost: cost });
  expectOnlyProviderKeys(double.requests);
});
