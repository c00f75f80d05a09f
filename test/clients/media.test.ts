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

const answerWith = (body: object): void => double.plan({ body: JSON.stringify(body) });
const streamOf = (...events: object[]): void =>
  double.plan({
    body: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''),
    contentType: 'text/event-stream',
    splitBytes: 7,
  });

/** Dollars that the answers so far cost by their provider's price page, and what the ledger has. */
let bill = 0;
let calls = 0;
async function expectBooked(cost: number): Promise<void> {
  bill += cost;
  calls += 1;
  const { totalCost, unpricedCalls } = await summaryOf(service, calls);
  expect(totalCost).toBeCloseTo(bill, 9);
  expect(unpricedCalls ?? 0).toBe(0);
}

test('pictures are booked by their tokens: made, streamed and edited', async () => {
  const usage = {
    input_tokens: 30,
    input_tokens_details: { text_tokens: 30, image_tokens: 0 },
    output_tokens: 1_056,
    total_tokens: 1_086,
  };
  const model = 'gpt-image-1';
  answerWith({ created: 1, data: [{ b64_json: 'AAAA' }], usage });
  const made = await client.images.generate({ model, prompt: 'A cat', quality: 'medium', size: '1024x1024' });
  expect(made.data?.[0]?.b64_json).toBe('AAAA');
  await expectBooked((30 * 5 + 1_056 * 40) / 1e6);

  streamOf(
    { type: 'image_generation.partial_image', b64_json: 'AA', partial_image_index: 0 },
    { type: 'image_generation.completed', b64_json: 'AAAA', usage },
  );
  const types: string[] = [];
  for await (const event of await client.images.generate({ model, prompt: 'A cat', stream: true, partial_images: 1 }))
    types.push(event.type);
  expect(types).toEqual(['image_generation.partial_image', 'image_generation.completed']);
  await expectBooked((30 * 5 + 1_056 * 40) / 1e6);

  const edited = { ...usage, input_tokens: 230, input_tokens_details: { text_tokens: 30, image_tokens: 200 } };
  answerWith({ created: 1, data: [{ b64_json: 'BBBB' }], usage: { ...edited, total_tokens: 1_286 } });
  const image = await toFile(Buffer.from([1, 2, 3]), 'cat.png', { type: 'image/png' });
  await client.images.edit({ model: 'gpt-image-1.5', image: [image], prompt: 'A hat' });
  expect(String(double.requests.at(-1)?.body)).toContain('filename="cat.png"');
  await expectBooked((30 * 5 + 200 * 8 + 1_056 * 32) / 1e6);
});

test('speech is booked by characters, or by the tokens of a stream', async () => {
  double.plan({ body: 'sound', contentType: 'audio/mpeg' });
  const spoken = await client.audio.speech.create({ model: 'tts-1-hd', voice: 'alloy', input: 'Grüße 🎈' });
  expect(Buffer.from(await spoken.arrayBuffer()).toString()).toBe('sound');
  await expectBooked(7 * 0.00003);

  const usage = { input_tokens: 9, output_tokens: 101, total_tokens: 110 };
  streamOf({ type: 'speech.audio.delta', audio: 'AAAA' }, { type: 'speech.audio.done', usage });
  const streamed = await client.audio.speech.create({
    model: 'gpt-4o-mini-tts',
    voice: 'alloy',
    input: 'Hello',
    stream_format: 'sse',
  });
  expect(await streamed.text()).toContain('speech.audio.done');
  await expectBooked((9 * 0.6 + 101 * 12) / 1e6);
});

test('transcription and translation are booked by tokens or by seconds', async () => {
  const file = await toFile(Buffer.from([0, 0xff, 0x0d, 0x0a]), 'a.wav', { type: 'audio/wav' });
  const details = { text_tokens: 4, audio_tokens: 140 };
  const usage = {
    type: 'tokens',
    input_tokens: 144,
    input_token_details: details,
    output_tokens: 30,
    total_tokens: 174,
  };
  answerWith({ text: 'Hi', usage });
  const heard = await client.audio.transcriptions.create({ model: 'gpt-4o-transcribe', file, include: ['logprobs'] });
  expect(heard.text).toBe('Hi');
  expect(double.requests.at(-1)?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
  await expectBooked((4 * 2.5 + 140 * 6 + 30 * 10) / 1e6);

  streamOf({ type: 'transcript.text.delta', delta: 'Hi' }, { type: 'transcript.text.done', text: 'Hi', usage });
  let text = '';
  for await (const event of await client.audio.transcriptions.create({
    model: 'gpt-4o-transcribe',
    file,
    stream: true,
  }))
    if (event.type === 'transcript.text.done') text = event.text;
  expect(text).toBe('Hi');
  await expectBooked((4 * 2.5 + 140 * 6 + 30 * 10) / 1e6);

  answerWith({ text: 'Hi', usage: { type: 'duration', seconds: 90 } });
  expect(await client.audio.translations.create({ model: 'whisper-1', file })).toMatchObject({ text: 'Hi' });
  await expectBooked(90 * 0.0001);
});

test('a conversation is compacted, and booked by its tokens', async () => {
  const usage = { input_tokens: 5_000, output_tokens: 200, total_tokens: 5_200 };
  answerWith({ id: 'resp_1', object: 'response.compaction', created_at: 1, output: [], usage });
  expect(await client.responses.compact({ model: 'gpt-5.4', input: 'Hello' })).toMatchObject({ id: 'resp_1' });
  await expectBooked((5_000 * 2.5 + 200 * 15) / 1e6);
});

test('plain text says nothing of its length, so its call is uncertain', async () => {
  const file = await toFile(Buffer.from([0]), 'a.wav');
  double.plan({ body: 'Hi\n', contentType: 'text/plain' });
  expect(await client.audio.transcriptions.create({ model: 'whisper-1', file, response_format: 'text' })).toBe('Hi\n');
  calls += 1;
  await summaryOf(service, calls);
  const { entries } = await service.report<{ entries: object[] }>('/api/mcp/entries?limit=1');
  expect(entries).toMatchObject([{ operation: 'audio.transcriptions', uncertainReason: 'no_usage', cost: null }]);
  expectOnlyProviderKeys(double.requests);
});

test('under a limit a call without a bound is refused before it is sent, and one with a bound is held', async () => {
  await service.command(['limits', 'set', '--unit', 'usd', '--amount', '1', '--window', 'month']);
  const sent = double.requests.length;
  const file = await toFile(Buffer.from([0]), 'a.wav');
  await expect(client.audio.transcriptions.create({ model: 'whisper-1', file })).rejects.toMatchObject({
    status: 402,
    message: expect.stringContaining('file, whose length is unknown'),
  });
  await expect(
    client.images.generate({ model: 'gpt-image-1', prompt: 'Cats', n: 10, quality: 'high' }),
  ).rejects.toMatchObject({ status: 402 });
  expect(double.requests).toHaveLength(sent);
  double.plan({ body: 'sound', contentType: 'audio/mpeg' });
  await client.audio.speech.create({ model: 'tts-1', voice: 'alloy', input: 'Hello' });
  await expectBooked(5 * 0.000015);
});
