import { describe, expect, test } from 'vitest';
import { TollbookError } from '../../domain/errors.ts';
import type { RequestDemand } from '../../domain/limits/demand.ts';
import { answerHead, replay, replayBytes, sse } from '../contract/replay.ts';
import { readBody } from '../contract/read-body.ts';
import type { RequestFacts } from '../provider.ts';
import { openai } from './openai.ts';

type Field = string | File;

async function readForm(
  path: string,
  fields: Readonly<Record<string, Field | readonly Field[]>>,
): Promise<RequestFacts> {
  const form = new FormData();
  for (const [name, values] of Object.entries(fields)) for (const value of [values].flat()) form.append(name, value);
  const request = new Request('http://localhost', { method: 'POST', body: form });
  const route = openai.route('POST', path);
  if (route.kind !== 'inference' || !route.readForm) throw new Error(`${path} takes no form`);
  return route.readForm(await request.bytes(), request.headers.get('content-type') ?? '');
}

const usageOf = (facts: RequestFacts, body: string, contentType = 'application/json') => {
  const reading = replay(() => facts.openReader(answerHead(contentType)), body);
  expect(reading.errored).toBe(false);
  return { complete: reading.complete, ...reading.usage };
};
const tokens = (counts: object) => ({ inferences: [{ model: null, tokens: counts }] });

describe('pictures', () => {
  const picture = { model: 'gpt-image-1', prompt: 'A cat', size: '1024x1024', quality: 'high' };
  const demand = (more: object): RequestDemand =>
    readBody('openai/v1/images/generations', { ...picture, ...more }).demand;
  const used = {
    input_tokens: 50,
    input_tokens_details: { text_tokens: 10, image_tokens: 40 },
    output_tokens: 4_160,
    total_tokens: 4_210,
  };
  const counts = { input: 10, inputImage: 40, outputImage: 4_160 };
  const facts = (more = {}) => readBody('openai/v1/images/generations', { ...picture, ...more });

  test('are bounded by the tokens of their quality, each of them', () => {
    expect(demand({})).toMatchObject({ outputMax: 6_240, answers: 1, outputMaxFixed: true, asked: ['outputImage'] });
    expect(demand({ quality: 'low', n: 3 })).toMatchObject({ outputMax: 408, answers: 3 });
    expect(demand({ quality: 'low', stream: true, partial_images: 2 })).toMatchObject({ outputMax: 608 });
    expect(demand({ model: 'gpt-image-2', quality: 'medium' }).work.unbounded).toBeNull();
  });

  test.each([
    ['an unknown quality', { quality: 'max' }],
    ['a model without published figures', { model: 'gpt-image-3' }],
    ['a model that bills text with each picture', { model: 'gpt-image-1.5' }],
    ['any size of the newer model', { model: 'gpt-image-2', size: 'auto' }],
    ['an unknown field', { frames: 4 }],
    ['work that plans the picture', { complexity: 'high' }],
    ['a film', { output_format: 'gif' }],
    ['a drawing by another model', { output_format: 'svg', svg: { model: 'gpt-6-sol' } }],
  ])('have no bound with %s', (_name, more) => {
    expect(demand(more).work.unbounded).not.toBeNull();
  });

  test('are counted in tokens, whole and as a stream that may end anywhere', () => {
    const whole = JSON.stringify({ created: 1, data: [{ b64_json: 'AAAA' }], usage: used });
    expect(usageOf(facts(), whole)).toMatchObject({ complete: true, uses: {}, ...tokens(counts) });
    const [partial, completed] = ['partial_image', 'completed'].map((type) =>
      sse(
        { type: `image_generation.${type}`, b64_json: 'AA', ...(type === 'completed' && { usage: used }) },
        `image_generation.${type}`,
      ),
    );
    const stream = facts({ stream: true });
    expect(usageOf(stream, `${partial}${completed}`, 'text/event-stream')).toMatchObject({
      complete: true,
      ...tokens(counts),
    });
    expect(usageOf(stream, `${partial}`, 'text/event-stream')).toEqual({ complete: false });
    const two = usageOf(facts({ stream: true, n: 2 }), `${completed}${completed}`, 'text/event-stream');
    expect(two).toMatchObject({ complete: true, inferences: [{ tokens: counts }, { tokens: counts }] });
  });

  test('written as a drawing add the tokens of the model that wrote it', () => {
    const svg = { model: 'gpt-6-sol', input_tokens: 5, output_tokens: 7, reasoning_tokens: 2, total_tokens: 12 };
    const body = JSON.stringify({ data: [{}], usage: used, svg_usage: svg });
    expect(usageOf(facts(), body).inferences).toEqual(
      expect.arrayContaining([expect.objectContaining({ model: 'gpt-6-sol', tokens: { input: 5, output: 7 } })]),
    );
  });

  test('without tokens are counted each', () => {
    expect(usageOf(facts(), JSON.stringify({ data: [{ url: 'a' }, { url: 'b' }] }))).toMatchObject({
      uses: { image: 2 },
      inferences: [],
    });
  });

  test('whose cached part has an unknown price have no usage', () => {
    const cached = { ...used, input_tokens_details: { ...used.input_tokens_details, cached_tokens: 5 } };
    expect(usageOf(facts(), JSON.stringify({ data: [{}], usage: cached }))).toEqual({ complete: true });
  });

  test('are edited in a form, which has no bound', async () => {
    const image = new File(['png'], 'a.png', { type: 'image/png' });
    const edit = await readForm('/v1/images/edits', {
      model: 'gpt-image-1',
      prompt: 'Hat',
      'image[]': [image, image],
      n: '2',
    });
    expect(edit).toMatchObject({ model: 'gpt-image-1', upstreamPath: '/v1/images/edits', stream: false });
    expect(edit.demand).toMatchObject({ answers: 2, work: { unbounded: 'image, whose tokens depend on its size' } });
    expect(usageOf(edit, JSON.stringify({ data: [{}], usage: used }))).toMatchObject(tokens(counts));
  });
});

describe('speech', () => {
  const speak = (more: object) =>
    readBody('openai/v1/audio/speech', { model: 'tts-1', voice: 'alloy', input: 'Grüße 🎈', ...more });

  test('is billed by character where the model is, known before it is sent', () => {
    const facts = speak({});
    expect(facts.demand).toMatchObject({ outputMax: 0, work: { uses: { character: 7 }, unbounded: null } });
    const reading = replayBytes(() => facts.openReader(answerHead('audio/mpeg')), Uint8Array.from([0xff, 0xf3, 0, 1]));
    expect(reading).toMatchObject({ complete: true, usage: { uses: { character: 7 }, inferences: [] } });
    const empty = facts.openReader(answerHead('audio/mpeg'));
    empty.end();
    expect(empty).toMatchObject({ complete: false });
  });

  test('by tokens has no bound; its usage comes with a stream of events only', () => {
    const facts = speak({ model: 'gpt-4o-mini-tts', stream_format: 'sse' });
    expect(facts.demand).toMatchObject({
      asked: ['outputAudio'],
      work: { unbounded: expect.stringContaining('length') },
    });
    const done = { type: 'speech.audio.done', usage: { input_tokens: 9, output_tokens: 101, total_tokens: 110 } };
    const delta = sse({ type: 'speech.audio.delta', audio: 'AAAA' });
    expect(usageOf(facts, delta + sse(done), 'text/event-stream')).toMatchObject({
      complete: true,
      ...tokens({ input: 9, outputAudio: 101 }),
    });
    expect(usageOf(facts, delta, 'text/event-stream')).toEqual({ complete: false });
    const whole = replayBytes(() => facts.openReader(answerHead('audio/mpeg')), Uint8Array.from([1, 2, 3]));
    expect(whole).toMatchObject({ complete: true, usage: null });
  });

  test.each([
    ['a number', 7],
    ['nothing', undefined],
    ['a very long text', 'x'.repeat(300_000)],
  ])('of %s is refused', (_name, input) => {
    expect(() => speak({ input })).toThrow(TollbookError);
  });
});

describe('transcription', () => {
  const file = new File(['sound'], 'a.wav', { type: 'audio/wav' });
  const hear = (more: Record<string, Field | readonly Field[]> = {}) =>
    readForm('/v1/audio/transcriptions', { model: 'gpt-4o-transcribe', file, ...more });

  test('by tokens is bounded by the window of the model', async () => {
    const { demand } = await hear({ language: 'de', 'include[]': ['logprobs'] });
    expect(demand).toMatchObject({
      beyondBody: true,
      outputMax: 2_000,
      media: { audioIn: true },
      work: { unbounded: null },
    });
  });

  test.each([
    ['by seconds', { model: 'whisper-1' }],
    ['cut into parts', { chunking_strategy: 'auto' }],
    ['with an unknown field', { diarize: 'yes' }],
  ])('%s has no bound', async (_name, more) => {
    expect((await hear(more)).demand.work.unbounded).not.toBeNull();
  });

  test('counts tokens, whole and as a stream, and seconds', async () => {
    const details = { text_tokens: 4, audio_tokens: 140 };
    const usage = {
      type: 'tokens',
      input_tokens: 144,
      input_token_details: details,
      output_tokens: 30,
      total_tokens: 174,
    };
    const counts = tokens({ input: 4, inputAudio: 140, output: 30 });
    expect(usageOf(await hear(), JSON.stringify({ text: 'Hi', usage }))).toMatchObject({ complete: true, ...counts });
    const stream = await hear({ stream: 'true' });
    const events =
      sse({ type: 'transcript.text.delta', delta: 'Hi' }) + sse({ type: 'transcript.text.done', text: 'Hi', usage });
    expect(usageOf(stream, events, 'text/event-stream')).toMatchObject({ complete: true, ...counts });
    expect(usageOf(stream, events.slice(0, events.indexOf('done') - 30), 'text/event-stream')).toEqual({
      complete: false,
    });
    const spoken = JSON.stringify({ text: 'Hi', usage: { type: 'duration', seconds: 90 } });
    expect(usageOf(await hear({ model: 'whisper-1' }), spoken)).toMatchObject({
      uses: { audioSecond: 90 },
      inferences: [],
    });
  });

  test('as plain text has no usage', async () => {
    const facts = await hear({ model: 'whisper-1', response_format: 'text' });
    expect(usageOf(facts, 'Hello\n', 'text/plain')).toEqual({ complete: true });
  });

  test.each([
    ['no model', { model: [] }],
    ['two models', { model: ['whisper-1', 'gpt-4o-transcribe'] }],
    ['a file as the model', { model: file }],
  ])('refuses %s', async (_name, more) => {
    await expect(hear(more)).rejects.toThrow(TollbookError);
  });

  test('refuses JSON', () => {
    expect(() => readBody('openai/v1/audio/transcriptions', { model: 'whisper-1' })).toThrow('multipart/form-data');
  });
});

describe('compaction', () => {
  const compact = (more: object) => readBody('openai/v1/responses/compact', { model: 'gpt-5.4', input: 'Hi', ...more });

  test('is one answer of the model, which is not shortened', () => {
    const facts = compact({ service_tier: 'default' });
    expect(facts).toMatchObject({
      upstreamPath: '/v1/responses/compact',
      demand: { outputMax: null, outputMaxFixed: true },
    });
    expect(facts.forward({ outputMax: 9, tier: null, models: null })).toEqual([]);
    const usage = {
      input_tokens: 100,
      output_tokens: 30,
      output_tokens_details: { reasoning_tokens: 8 },
      total_tokens: 130,
    };
    const body = JSON.stringify({ id: 'resp_1', object: 'response.compaction', output: [], usage });
    expect(usageOf(facts, body)).toMatchObject({ complete: true, ...tokens({ input: 100, output: 30 }) });
  });

  test('in a tier that its answer does not name is refused', () => {
    expect(() => compact({ service_tier: 'flex' })).toThrow('service_tier');
  });
});
