import OpenAI, { toFile } from 'openai';
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
  client = new OpenAI({ apiKey, baseURL: `${service.baseUrl}/api/proxy/openai/v1`, maxRetries: 0 });
});
afterAll(async () => {
  await service?.close();
  await double?.close();
});

/** Makes the provider answer the next request with this. */
const answerWith = (body: object | string): void =>
  double.plan(typeof body === 'string' ? { body, contentType: 'text/event-stream' } : { body: JSON.stringify(body) });
const lastRequest = () => double.requests.at(-1);

test('legacy completions are recorded, whole and streamed', async () => {
  const model = 'gpt-3.5-turbo-instruct';
  const choice = { text: 'Rain.', index: 0, logprobs: null, finish_reason: 'stop' };
  const head = { id: 'cmpl-1', object: 'text_completion', created: 1_790_000_000, model };
  answerWith({ ...head, choices: [choice], usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } });
  const created = await client.completions.create({ model, prompt: 'The weather is', max_tokens: 20 });
  expect(created.choices[0]?.text).toBe('Rain.');

  const chunk = (more: object) => `data: ${JSON.stringify({ ...head, ...more })}\n\n`;
  const usage = { prompt_tokens: 200, completion_tokens: 20, total_tokens: 220 };
  answerWith(
    chunk({ choices: [{ ...choice, finish_reason: null }], usage: null }) +
      chunk({ choices: [{ ...choice, text: '' }], usage: null }) +
      chunk({ choices: [], usage }) +
      'data: [DONE]\n\n',
  );
  const texts: string[] = [];
  for await (const each of await client.completions.create({ model, prompt: 'The weather is', stream: true })) {
    expect(each.choices).toHaveLength(1);
    texts.push(each.choices[0]?.text ?? '');
  }
  expect(texts.join('')).toBe('Rain.');
  expect(JSON.parse(String(lastRequest()?.body))).toMatchObject({ stream_options: { include_usage: true } });

  const summary = await summaryOf(service, 2);
  expect(summary).toMatchObject({ totalCalls: 2, totalInputTokens: 300, totalOutputTokens: 30 });
  // $1.50 and $2 per million tokens.
  expect(summary.totalCost).toBeCloseTo((300 * 1.5 + 30 * 2) / 1e6, 12);
});

test('moderation, stored responses and files pass with their methods, and are not recorded', async () => {
  answerWith({ id: 'modr-1', model: 'omni-moderation-latest', results: [{ flagged: false }] });
  expect(await client.moderations.create({ input: 'Hi' })).toMatchObject({ results: [{ flagged: false }] });
  expect(lastRequest()).toMatchObject({ method: 'POST', path: '/v1/moderations' });

  answerWith({ object: 'response.input_tokens', input_tokens: 8 });
  expect(await client.responses.inputTokens.count({ model: 'gpt-5-mini', input: 'Hi' })).toMatchObject({
    input_tokens: 8,
  });

  answerWith({ id: 'resp_1', object: 'response', status: 'completed', output: [] });
  const include = ['reasoning.encrypted_content' as const];
  expect(await client.responses.retrieve('resp_1', { include })).toMatchObject({ id: 'resp_1' });
  expect(lastRequest()?.path).toMatch(/^\/v1\/responses\/resp_1\?include.*=reasoning\.encrypted_content$/);

  answerWith({ id: 'resp_1', object: 'response', deleted: true });
  await client.responses.delete('resp_1');
  expect(lastRequest()).toMatchObject({ method: 'DELETE', path: '/v1/responses/resp_1' });

  answerWith({ id: 'file-1', object: 'file', filename: 'notes.txt', purpose: 'user_data' });
  const file = await toFile(Buffer.from('two\r\nlines \u00e9'), 'notes.txt');
  expect(await client.files.create({ file, purpose: 'user_data' })).toMatchObject({ id: 'file-1' });
  const { headers, body } = lastRequest()!;
  const form = await new Response(new Uint8Array(body), {
    headers: { 'content-type': headers['content-type'] ?? '' },
  }).formData();
  expect(form.get('purpose')).toBe('user_data');
  expect(await (form.get('file') as File).text()).toBe('two\r\nlines \u00e9');

  answerWith({ id: 'file-1', object: 'file', deleted: true });
  expect(await client.files.delete('file-1')).toMatchObject({ deleted: true });

  expect((await summaryOf(service, 2)).totalCalls).toBe(2);
});

test('a list of files and a route without a known cost are refused with the reason', async () => {
  const before = double.requests.length;
  const refusal = (error: unknown): string => (error instanceof OpenAI.APIError ? error.message : String(error));
  expect(await client.files.list().then(String, refusal)).toMatch(/use POST.*by its id/);
  expect(await client.batches.list().then(String, refusal)).toMatch(/Lists of batches are not served/);
  expect(double.requests).toHaveLength(before);
});

test('only provider keys reach the provider', () => expectOnlyProviderKeys(double.requests));
