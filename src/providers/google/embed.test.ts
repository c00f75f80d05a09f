import { describe, expect, test } from 'vitest';
import { boundCall } from '../../domain/limits/cost-bound.ts';
import { createPriceBook } from '../../prices/price-book.ts';
import { readBody, readRefusal } from '../contract/read-body.ts';
import { answerHead, replay } from '../contract/replay.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const MODEL = 'gemini-embedding-2';
const ONE = `google/v1beta/models/${MODEL}:embedContent`;
const MANY = `google/v1beta/models/${MODEL}:batchEmbedContents`;
const VALUES = { values: [0.0134, -0.0021] };

const content = (...parts: object[]) => ({ parts });
/** The request of Google's library and of Vercel's AI SDK. */
const batch = (...contents: object[]) => ({
  requests: contents.map((each) => ({ model: `models/${MODEL}`, content: each, taskType: 'RETRIEVAL_QUERY' })),
});
const text = { text: 'What is the weather?' };
const picture = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo'.repeat(50_000) } };
const sound = { inlineData: { mimeType: 'audio/mp3', data: 'SUQz' } };
const video = { inlineData: { mimeType: 'video/mp4', data: 'AAAA' } };

describe('the usage of embeddings', () => {
  const read = (address: string, request: object, answer: object): unknown => {
    const facts = readBody(address, request);
    return replay(() => facts.openReader(answerHead('application/json')), JSON.stringify(answer)).usage?.inferences[0];
  };
  const details = (...entries: [string, number][]) =>
    entries.map(([modality, tokenCount]) => ({ modality, tokenCount }));

  test('is read under both names of its details', () => {
    const tokens = { model: null, tokens: { input: 5 }, promptTokens: 5 };
    for (const [address, request, name] of [
      [MANY, batch(content(text)), 'promptTokenDetails'],
      [ONE, { content: content(text) }, 'promptTokensDetails'],
    ] as const) {
      const usageMetadata = { promptTokenCount: 5, [name]: details(['TEXT', 5]) };
      expect(read(address, request, { embeddings: [VALUES], usageMetadata })).toEqual(tokens);
    }
  });

  test('has pictures and audio in classes of their own', () => {
    const usageMetadata = {
      promptTokenCount: 300,
      promptTokenDetails: details(['TEXT', 10], ['IMAGE', 258], ['AUDIO', 32]),
    };
    expect(read(ONE, { content: content(text, picture, sound) }, { embedding: VALUES, usageMetadata })).toEqual({
      model: null,
      tokens: { input: 10, inputImage: 258, inputAudio: 32 },
      promptTokens: 300,
    });
  });

  test('is unknown with tokens of another kind, or of media without a kind', () => {
    const asked = { content: content(text, video) };
    const spoken = { promptTokenCount: 268, promptTokensDetails: details(['TEXT', 10], ['VIDEO', 258]) };
    expect(read(ONE, asked, { usageMetadata: spoken })).toBeUndefined();
    expect(read(ONE, asked, { usageMetadata: { promptTokenCount: 268 } })).toBeUndefined();
    const more = { promptTokenCount: 5, promptTokenDetails: details(['TEXT', 9]) };
    expect(read(ONE, { content: content(text) }, { usageMetadata: more })).toBeUndefined();
  });

  test('is unknown where the answer has none, as with gemini-embedding-001', () => {
    expect(read(ONE, { content: content(text) }, { embedding: VALUES })).toBeUndefined();
    expect(read(ONE, { content: content(text) }, { embedding: VALUES, usageMetadata: {} })).toBeUndefined();
  });
});

describe('the cost bound of embeddings', () => {
  const book = createPriceBook();
  const bound = (address: string, body: object): { readonly usd: number | null; readonly inputTokens: number } => {
    const { demand, model } = readBody(address, body);
    const card = book.resolve('w', 'google', model, NOW);
    expect(card).not.toBeNull();
    return boundCall(demand, [{ cards: card ? [card] : [], outputMax: null }], { geo: null, tier: null }).hold;
  };

  test('is the bytes of the text at the price of input', () => {
    const body = { content: content(text) };
    const bytes = JSON.stringify(body).length;
    expect(bound(ONE, body)).toEqual({ usd: bytes * 200, inputTokens: bytes, outputTokens: 0 });
    const older = 'google/models/gemini-embedding-001:batchEmbedContents';
    const requests = [{ content: content(text) }];
    expect(bound(older, { requests }).usd).toBe(JSON.stringify({ requests }).length * 150);
  });

  test('has a window for each picture or sound of a list, and no base64 data', () => {
    expect(bound(ONE, { content: content(text, picture, sound) }).inputTokens).toBe(8_192);
    const three = bound(MANY, batch(content(text), content(picture), content(sound, text)));
    expect(three.inputTokens).toBeGreaterThan(2 * 8_192);
    expect(three.inputTokens).toBeLessThan(2 * 8_192 + 1_000);
    // At the price of audio, the most expensive kind.
    expect(three.usd).toBe(three.inputTokens * 6_500);
  });

  test('does not exist for video, files of unknown kind and unknown fields', () => {
    const unbounded = (address: string, body: object) => readBody(address, body).demand.work;
    for (const part of [video, { fileData: { fileUri: 'https://x/1' } }, { hologram: {} }]) {
      expect(unbounded(ONE, { content: content(part) }).hasUnlistedFee).toBe(true);
      expect(unbounded(MANY, batch(content(part))).hasUnlistedFee).toBe(true);
    }
    expect(unbounded(ONE, { content: content(text), surprise: true }).hasUnlistedFee).toBe(true);
    expect(unbounded(MANY, { requests: [{ content: content(text), surprise: 1 }] }).hasUnlistedFee).toBe(true);
    expect(unbounded(ONE, { content: { pieces: [picture] } }).hasUnlistedFee).toBe(true);
  });
});

test('another model in the body than in the path is refused', () => {
  expect(readRefusal(ONE, { model: `models/${MODEL}`, content: content(text) })).toBeNull();
  expect(readRefusal(ONE, { model: 'models/gemini-embedding-001', content: content(text) })).toBe('invalid model');
  const requests = [{ model: 'gemini-embedding-9', content: content(text) }];
  expect(readRefusal(MANY, { requests })).toBe('invalid requests[].model');
});
