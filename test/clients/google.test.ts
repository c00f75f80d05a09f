import { ApiError, GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { type Service, startService } from '../service.ts';
import { expectOnlyProviderKeys, summaryOf } from './clients.ts';

let double: ProviderDouble;
let service: Service;
let client: GoogleGenAI;
let openai: OpenAI;
beforeAll(async () => {
  double = await startProviderDouble();
  service = await startService({ urls: double.urls });
  const apiKey = await service.createKey('google');
  const baseUrl = `${service.baseUrl}/api/proxy/google`;
  client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl } });
  openai = new OpenAI({ apiKey, baseURL: `${baseUrl}/v1beta/openai/`, maxRetries: 0 });
});
afterAll(async () => {
  await service?.close();
  await double?.close();
});

const model = 'gemini-2.5-flash';
const contents = 'What is the weather?';

test("generate, stream and function calls return the provider's answer, and the ledger has their usage", async () => {
  double.plan({ pieces: ['Rain', '.'], tokens: { input: 100, output: 10, cacheRead: 50 } });
  const created = await client.models.generateContent({ model, contents });
  expect(created.text).toBe('Rain.');
  expect(created.usageMetadata).toMatchObject({ promptTokenCount: 150, candidatesTokenCount: 10 });

  double.plan({ pieces: ['Snow', ' and', ' ice.'], tokens: { input: 200, output: 20, thinking: 5 } });
  const texts: (string | undefined)[] = [];
  for await (const chunk of await client.models.generateContentStream({ model, contents })) texts.push(chunk.text);
  expect(texts).toEqual(['Snow', ' and', ' ice.']);

  double.plan({ tool: { name: 'weather', input: { city: 'Oslo' } }, tokens: { input: 300, output: 30 } });
  const config = { tools: [{ functionDeclarations: [{ name: 'weather' }] }] };
  const called = await client.models.generateContent({ model, contents, config });
  expect(called.functionCalls).toMatchObject([{ name: 'weather', args: { city: 'Oslo' } }]);

  const summary = await summaryOf(service, 3);
  expect(summary).toMatchObject({ totalCalls: 3, totalInputTokens: 650, totalOutputTokens: 60 });
  // $0.30, $0.03 and $2.50 per million tokens: uncached input, cache reads, output.
  expect(summary.totalCost).toBeCloseTo((600 * 0.3 + 50 * 0.03 + 60 * 2.5) / 1e6, 12);
});

test('counting tokens and listing models work and are not recorded', async () => {
  double.plan({ tokens: { input: 14 } });
  expect(await client.models.countTokens({ model, contents })).toMatchObject({ totalTokens: 14 });
  const names: (string | undefined)[] = [];
  for await (const listed of await client.models.list()) names.push(listed.name);
  expect(names).toEqual(['models/listed-model']);
  expect((await summaryOf(service, 3)).totalCalls).toBe(3);
});

test('embeddings are recorded at the price of their model', async () => {
  const before = (await summaryOf(service, 3)).totalCost;
  const usageMetadata = { promptTokenCount: 5, promptTokenDetails: [{ modality: 'TEXT', tokenCount: 5 }] };
  double.plan({ body: JSON.stringify({ embeddings: [{ values: [0.25, -0.5] }], usageMetadata }) });
  const embedded = await client.models.embedContent({ model: 'gemini-embedding-2', contents });
  expect(embedded.embeddings?.[0]?.values).toEqual([0.25, -0.5]);
  // $0.20 per million tokens.
  expect((await summaryOf(service, 4)).totalCost - before).toBeCloseTo((5 * 0.2) / 1e6, 12);
});

test("OpenAI's library has chats and embeddings at Gemini's address for it, and what it can't have is refused with the reason", async () => {
  const before = (await summaryOf(service, 4)).totalCost;
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
  const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Rain.' } }];
  double.plan({ body: JSON.stringify({ id: 'chat_1', object: 'chat.completion', model, choices, usage }) });
  const messages = [{ role: 'user' as const, content: contents }];
  const answer = await openai.chat.completions.create({ model, messages });
  expect(answer.choices[0]?.message.content).toBe('Rain.');
  const data = [{ object: 'embedding', index: 0, embedding: [0.25] }];
  const embedded = { object: 'list', model: 'gemini-embedding-2', data, usage: { prompt_tokens: 5, total_tokens: 5 } };
  double.plan({ body: JSON.stringify(embedded) });
  await openai.embeddings.create({ model: 'gemini-embedding-2', input: contents, encoding_format: 'float' });
  // $0.30, $2.50 and $0.20 per million tokens.
  const { totalCost } = await summaryOf(service, 6);
  expect(totalCost - before).toBeCloseTo((100 * 0.3 + 10 * 2.5 + 5 * 0.2) / 1e6, 12);

  const sent = double.requests.length;
  await expect(openai.images.generate({ model, prompt: 'A cat' })).rejects.toThrow(/Served paths/);
  await expect(client.caches.create({ model, config: { contents } })).rejects.toThrow(/billed by the hour/);
  expect(double.requests).toHaveLength(sent);
});

test('a provider error raises an ApiError with its status and message', async () => {
  double.plan({ status: 429, message: 'Slow down.' });
  const error = await client.models.generateContent({ model, contents }).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ApiError);
  expect((error as ApiError).status).toBe(429);
  expect((error as ApiError).message).toContain('Slow down.');
});

test('a stream with a requested cost has it in its last usage, and the library reads the rest unchanged', async () => {
  const config = { httpOptions: { headers: { 'x-svc-cost': 'include' } } };
  for (const splitBytes of [undefined, 7]) {
    double.plan({ pieces: ['Snow', '.'], tokens: { input: 200, output: 20 }, ...(splitBytes && { splitBytes }) });
    const usages: unknown[] = [];
    let text = '';
    for await (const chunk of await client.models.generateContentStream({ model, contents, config })) {
      usages.push(chunk.usageMetadata);
      text += chunk.text ?? '';
    }
    expect(text).toBe('Snow.');
    // $0.30 and $2.50 per million tokens.
    expect(usages.at(-1)).toMatchObject({ promptTokenCount: 200, svc_cost_usd: 0.000_11 });
  }
});

test('only provider keys reach the provider', () => expectOnlyProviderKeys(double.requests));

test('a file is uploaded through the gateway, asked for and deleted', async () => {
  const file = JSON.stringify({ name: 'files/abc-123', uri: 'https://double.example/v1beta/files/abc-123' });
  const started = 'https://double.example/upload/v1beta/files?upload_id=u1&upload_protocol=resumable';
  double.plan({ body: '{}', headers: { 'x-goog-upload-url': started } });
  double.plan({ body: `{"file":${file}}`, headers: { 'x-goog-upload-status': 'final' } });
  const uploaded = await client.files.upload({ file: new Blob(['%PDF-1.7']), config: { mimeType: 'application/pdf' } });
  expect(uploaded.name).toBe('files/abc-123');
  expect(double.requests.slice(-2).map(({ path, body }) => `${path} ${body.toString()}`)).toEqual([
    '/upload/v1/files {"file":{"mimeType":"application/pdf","sizeBytes":"8"}}',
    '/upload/v1beta/files?upload_id=u1&upload_protocol=resumable %PDF-1.7',
  ]);
  double.plan({ body: file });
  expect((await client.files.get({ name: 'files/abc-123' })).uri).toMatch(/abc-123$/);
  double.plan({ body: '{}' });
  await client.files.delete({ name: 'files/abc-123' });
  expect(double.requests.at(-1)).toMatchObject({ method: 'DELETE', path: '/v1/files/abc-123' });
  await expect(client.files.list()).rejects.toThrow('what other keys have stored');
});
