import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI, { toFile } from 'openai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EntriesPage } from '../../src/contract/entries.ts';
import type { LimitStanding } from '../../src/contract/limits.ts';
import { type BatchDouble, startBatchDouble } from '../doubles/batch-double.ts';
import { type GoogleBatchDouble, startGoogleBatchDouble } from '../doubles/google-batch-double.ts';
import { type OpenaiBatchDouble, startOpenaiBatchDouble } from '../doubles/openai-batch-double.ts';
import { eventually, type Service, startService } from '../service.ts';

// A batch counts with the bound of its requests until its results say what it cost.

const NANO_PER_USD = 1e9;
/** claude-haiku-4-5 in a batch. */
const INPUT_NANO = 500;
const OUTPUT_NANO = 2_500;
const MODEL = 'claude-haiku-4-5';
const AMOUNT = 0.02;

let double: BatchDouble;
let openai: OpenaiBatchDouble;
let google: GoogleBatchDouble;
let dataDir: string;
let service: Service;
let token: string;
beforeAll(async () => {
  double = await startBatchDouble();
  openai = await startOpenaiBatchDouble();
  google = await startGoogleBatchDouble();
  dataDir = await mkdtemp(join(tmpdir(), 'tollbook-batches-'));
  service = await startService({ urls: { anthropic: double.url, openai: openai.url, google: google.url }, dataDir });
  token = await service.createToken(['admin']);
});
afterAll(async () => {
  await service?.close();
  await double?.close();
  await openai?.close();
  await google?.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function killAndStart(): Promise<void> {
  await service.kill();
  service = await startService({ urls: { anthropic: double.url, openai: openai.url, google: google.url }, dataDir });
}

async function manage<T>(method: string, path: string, body?: object): Promise<T> {
  const answer = await fetch(`${service.baseUrl}/api/manage${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await answer.json()) as T;
}

const toNano = (usd: number) => Math.round(usd * NANO_PER_USD);

const requestsOf = (count: number, params: object = {}) =>
  Array.from({ length: count }, (_, at) => ({
    custom_id: `line-${at}`,
    params: { model: MODEL, max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hi' }], ...params },
  }));

test('a batch counts with its bound through kill -9, and then with its bill', async () => {
  const apiKey = await service.createKey('anthropic');
  const scope = { kind: 'workspace' };
  const { id } = await manage<{ id: string }>('POST', '/limits', {
    scope,
    unit: 'usd',
    amount: AMOUNT,
    window: 'total',
  });
  const standing = () => manage<LimitStanding>('GET', `/limits/${id}`);
  const client = () => new Anthropic({ apiKey, baseURL: `${service.baseUrl}/api/proxy/anthropic`, maxRetries: 0 });

  const first = await client().messages.batches.create({ requests: requestsOf(4) });
  const held = await eventually(standing, ({ counted }) => counted > 0);
  // At the price of batches: 100 tokens of output each, and a prompt.
  expect(held.counted).toBeGreaterThan((4 * 100 * OUTPUT_NANO) / NANO_PER_USD);
  expect(held.counted).toBeLessThan((4 * (100 * OUTPUT_NANO + 4_000 * INPUT_NANO)) / NANO_PER_USD);

  const tooLarge = client().messages.batches.create({ requests: requestsOf(100) });
  const why = expect.stringContaining('Each of its requests (100) counts up to') as string;
  await expect(tooLarge).rejects.toMatchObject({ status: 402, message: why });
  expect(double.batches).toHaveLength(1);

  double.setAnswering(false);
  void client()
    .messages.batches.create({ requests: requestsOf(4) })
    .catch(() => undefined);
  await eventually(
    () => Promise.resolve(double.batches.length),
    (batches) => batches === 2,
  );
  await killAndStart();
  // The provider may have taken the second one, whose id is lost.
  expect(toNano((await standing()).counted)).toBe(2 * toNano(held.counted));
  expect(await client().messages.batches.retrieve(first.id)).toMatchObject({ processing_status: 'in_progress' });

  double.end(first.id, { input: 10, output: 20 }, 'errored', { input: 30, output: 100 }, 'expired');
  await killAndStart();
  const settled = await eventually(standing, ({ uncertain }) => toNano(uncertain) === toNano(held.counted));
  expect(toNano(settled.counted)).toBe(double.bill + toNano(held.counted));

  const results = await client().messages.batches.results(first.id);
  const types: string[] = [];
  for await (const { result } of results) types.push(result.type);
  expect(types).toEqual(['succeeded', 'errored', 'succeeded', 'expired']);
  const { entries } = await service.report<EntriesPage>('/api/mcp/entries?limit=2');
  const entry = entries.find(({ responseId }) => responseId === first.id);
  expect(entry).toMatchObject({ operation: 'batches', model: MODEL, inputTokens: 40, outputTokens: 120 });
  expect(toNano(entry?.cost ?? 0)).toBe(double.bill);
});

test('a batch that could be read in two ways, or is empty, is refused before it leaves', async () => {
  const apiKey = await service.createKey('anthropic', { name: 'strict' });
  const before = double.batches.length;
  const send = async (body: string): Promise<string> => {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    const url = `${service.baseUrl}/api/proxy/anthropic/v1/messages/batches`;
    const answer = await fetch(url, { method: 'POST', headers, body });
    return `${answer.status} ${await answer.text()}`;
  };
  const [line] = requestsOf(1);
  const text = JSON.stringify(line);
  for (const [body, why] of [
    ['{"requests":[]}', 'has no requests'],
    ['{}', 'has no requests'],
    ['no JSON', 'is not the JSON'],
    [`{"requests":[${text}],"requests":[]}`, 'twice'],
    [`{"requests":[${text}],"more":1}`, 'not know'],
    [`{"requests":[${text.replace('"params":', '"params":{},"params":')}]}`, 'Request 1: '],
    [`{"requests":[${text.replace('"max_tokens":100', '"max_tokens":100,"max_tokens":9')}]}`, 'Request 1 ('],
    [`{"requests":[${text.replace('"max_tokens":100', '"max_tokens":"a lot"')}]}`, 'max_tokens'],
    [`{"requests":[${text.replace('"max_tokens":100', '"max_tokens":100,"stream":true')}]}`, '\\"stream\\"'],
    [`{"requests":[${text}`, 'is not the JSON'],
    [`{"requests":[${text},${text}]}`, 'Request 2 ('],
    [`{"requests":[{"params":{}}]}`, 'Request 1 needs \\"custom_id\\"'],
    [`{"requests":[{"custom_id":"a"}]}`, 'needs \\"params\\"'],
  ] as const) {
    const answer = await send(body);
    expect(answer, body).toMatch(/^400 /);
    expect(answer, body).toContain(why);
  }
  expect(double.batches).toHaveLength(before);
});

test("a batch of OpenAI counts with the bounds of its file's lines, and then with its bill", async () => {
  const apiKey = await service.createKey('openai', { name: 'files' });
  const client = new OpenAI({ apiKey, baseURL: `${service.baseUrl}/api/proxy/openai/v1`, maxRetries: 0 });
  const keys = await manage<{ id: string; name: string }[]>('GET', '/keys');
  const keyId = keys.find(({ name }) => name === 'files')?.id;
  await manage('POST', '/limits', { scope: { kind: 'key', keyId }, unit: 'usd', amount: AMOUNT, window: 'total' });
  const upload = async (lines: number, more: object = {}): Promise<string> => {
    const text = Array.from({ length: lines }, (_, at) => {
      const body = { model: 'gpt-5.4', max_completion_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] };
      return JSON.stringify({ custom_id: `${at}`, method: 'POST', url: '/v1/chat/completions', body, ...more });
    }).join('\n');
    return (await client.files.create({ file: await toFile(Buffer.from(text), 'lines.jsonl'), purpose: 'batch' })).id;
  };
  const create = (file: string) =>
    client.batches.create({ input_file_id: file, endpoint: '/v1/chat/completions', completion_window: '24h' });

  await expect(create(await upload(1_000))).rejects.toMatchObject({ status: 402 });
  // A long line is read in several turns.
  const long = [{ role: 'user', content: 'a'.repeat(7 * 1_048_576) }];
  const body = { model: 'gpt-5.4', max_completion_tokens: 100, messages: long };
  await expect(create(await upload(2, { body }))).rejects.toMatchObject({ status: 402 });
  await expect(create(await upload(2, { url: '/v1/responses' }))).rejects.toMatchObject({ status: 400 });
  await expect(create('file-gone')).rejects.toMatchObject({ status: 400 });
  expect(openai.batches).toBe(0);

  const { id } = await create(await upload(3));
  const newest = async () => (await service.report<EntriesPage>(`/api/mcp/entries?limit=1&keyId=${keyId}`)).entries[0];
  const settled = await eventually(newest, (entry) => entry?.uncertainReason === null);
  expect(settled).toMatchObject({ operation: 'batches', model: 'gpt-5.4', inputTokens: 20, outputTokens: 40 });
  expect(toNano(settled?.cost ?? 0)).toBe(openai.bill);
  expect((await client.batches.retrieve(id)).status).toBe('expired');
  expect((await client.batches.cancel(id)).status).toBe('cancelled');
  expect(await (await client.files.content('file-output')).text()).toContain('chat.completion');
  await expect(client.batches.list()).rejects.toMatchObject({ status: 405 });
});

test('a batch that is cancelled through the gateway costs what was answered before', async () => {
  const apiKey = await service.createKey('anthropic', { name: 'cancelling' });
  const client = new Anthropic({ apiKey, baseURL: `${service.baseUrl}/api/proxy/anthropic`, maxRetries: 0 });
  const before = double.bill;
  double.setAnswering(true);
  const { id } = await client.messages.batches.create({ requests: requestsOf(2) });
  expect(await client.messages.batches.cancel(id)).toMatchObject({ id, processing_status: 'ended' });
  await killAndStart();
  const find = async () => (await service.report<EntriesPage>(`/api/mcp/entries?find=${id}`)).entries[0];
  const settled = await eventually(find, (entry) => typeof entry?.cost === 'number');
  expect(toNano(settled?.cost ?? 0)).toBe(double.bill - before);
  expect(double.bill).toBeGreaterThan(before);
});

test("batches of Google's library count with the bounds of their requests, then with their bill, or with nothing", async () => {
  const apiKey = await service.createKey('google', { name: 'gemini' });
  const client = () => new GoogleGenAI({ apiKey, httpOptions: { baseUrl: `${service.baseUrl}/api/proxy/google` } });
  const create = (count: number) =>
    client().batches.create({
      model: 'gemini-2.5-flash',
      src: Array.from({ length: count }, () => ({
        contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
        config: { maxOutputTokens: 100 },
      })),
    });
  const keyId = (await manage<{ id: string; name: string }[]>('GET', '/keys')).find((key) => key.name === 'gemini')?.id;
  const list = async () => (await service.report<EntriesPage>(`/api/mcp/entries?limit=9&keyId=${keyId}`)).entries;
  await expect(client().batches.create({ model: 'gemini-2.5-flash', src: 'files/abc' })).rejects.toMatchObject({
    status: 400,
  });
  expect(google.batches).toBe(0);

  const cancelled = await create(3);
  const kept = await create(4);
  expect(await eventually(list, (entries) => entries.length === 2)).toMatchObject([
    { uncertainReason: 'background', batchRequests: 4, responseId: kept.name },
    { uncertainReason: 'background', batchRequests: 3 },
  ]);
  await client().batches.cancel({ name: cancelled.name ?? '' });
  google.end();
  await killAndStart();
  const settled = await eventually(list, (entries) => entries.every(({ cost }) => cost !== null));
  expect(settled).toMatchObject([{ inputTokens: 30, outputTokens: 60 }, { cost: 0 }]);
  expect(toNano(settled[0]?.cost ?? 0)).toBe(google.bill);
  const read = await client().batches.get({ name: kept.name ?? '' });
  expect(read.dest?.inlinedResponses).toHaveLength(4);
});
