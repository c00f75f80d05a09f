import { describe, expect, it } from 'vitest';
import { priceUsage } from '../domain/pricing/pricing.ts';
import { NO_TERMS } from '../domain/usage/usage.ts';
import list from './base-list.json' with { type: 'json' };
import type { ListedModel, ListedPrice } from './base-prices.ts';
import { createPriceBook } from './price-book.ts';
import { parsePriceFiles } from './refresh-cards.ts';
import { userCard } from './price-schema.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const book = createPriceBook();

/** Charges of the base list that calls are counted for. */
const UNDERSTOOD =
  /^(?:input_mtok|output_mtok|cache_(?:read|write)_mtok|cache_write_1h_mtok|(?:input|output)_audio_mtok|cache_audio_read_mtok|(?:input|output)_image_mtok|web_searches_kcount|storage_searches_kcount|requests_kcount)$/;

const PRICED_BY_OVERRIDE: ReadonlySet<string> = new Set([
  'chatgpt-image-latest',
  'gemini-embedding-2',
  'gpt-image-1',
  'gpt-image-1-mini',
  'gpt-image-1.5',
  'gpt-image-2',
  'gpt-image-2.5-flare',
  'gpt-image-2.5-sunburst',
  'gpt-transcribe',
  'tts-1',
  'tts-1-hd',
  'whisper-1',
]);

describe('a price with a charge that is not supported', () => {
  const lists: Readonly<Record<string, readonly ListedModel[]>> = list;
  const odd = Object.entries(lists).flatMap(([provider, models]) =>
    models.flatMap(({ id, prices }) => {
      const all =
        'length' in prices ? (prices as readonly { prices: ListedPrice }[]).map((each) => each.prices) : [prices];
      const keys = all.flatMap((each) => Object.keys(each)).filter((key) => !UNDERSTOOD.test(key));
      return keys.length > 0 ? [{ provider, id, keys: [...new Set(keys)].join() }] : [];
    }),
  );

  it('is in the base list', () => {
    expect(odd.map(({ id }) => id)).toEqual(expect.arrayContaining(['sonar-deep-research', 'gemini-embedding-2']));
  });

  it.each(odd)('is not used: $provider $id with $keys', ({ provider, id }) => {
    // A price of the project's own replaces it where the other charges are never taken for this one.
    const version = book.resolve('ws', provider, id, NOW)?.version ?? null;
    if (PRICED_BY_OVERRIDE.has(id)) expect(version).toMatch(/^tollbook\//);
    else expect(version).toBeNull();
  });

  it('leaves the cost of a call unknown and names the model', () => {
    const usage = {
      inferences: [{ model: null, tokens: { input: 1 }, promptTokens: 1 }],
      uses: {},
      thinking: 0,
      terms: NO_TERMS,
    };
    const resolve = (model: string) => book.resolve('ws', 'perplexity', model, NOW);
    expect(priceUsage(usage, 'sonar-deep-research', resolve)).toMatchObject({
      cost: null,
      missing: 'There is no price for "sonar-deep-research".',
    });
  });

  it.each([
    ['a class of tokens', { usdPerMillion: { input: '1', output: '2', citation: '3' } }],
    ['a fee', { usdPerMillion: { input: '1', output: '2' }, fees: { page: '0.1' } }],
    ['another word', { usdPerMillion: { input: '1', output: '2' }, minExcessUsd: '1' }],
  ])('is refused as a fetched price, and as a custom price: %s', (_name, price) => {
    const row = { models: ['sonar'], source: 'https://a.example', ...price };
    expect(() => parsePriceFiles(JSON.stringify([{ provider: 'perplexity', prices: [row] }]))).toThrow(/not valid/);
    expect(() => userCard({ provider: 'perplexity', model: 'sonar', ...price })).toThrow(/not valid/);
  });
});

it('a free model of a list without amounts costs nothing, and one without the word has no price', () => {
  expect(
    book.resolve('ws', 'openrouter', 'nousresearch/hermes-3-llama-3.1-405b:free', NOW)?.tiers[0]?.rates,
  ).toMatchObject({
    input: 0,
    output: 0,
  });
  expect(book.resolve('ws', 'cerebras', 'qwen-3-coder-480b', NOW)).toBeNull();
});
