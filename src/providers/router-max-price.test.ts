import { describe, expect, test } from 'vitest';
import { boundCall, type ModelBounds } from '../domain/limits/cost-bound.ts';
import type { RateCard } from '../domain/pricing/price.ts';
import { readBody, spliced } from './contract/read-body.ts';
import { customProvider } from './providers.ts';

const CHAT = 'openrouter/chat/completions';
const EMBEDDINGS = 'openrouter/embeddings';

const card = (input: number, output: number, request = 0): RateCard => ({
  provider: 'openrouter',
  model: 'a/b',
  from: null,
  until: null,
  tiers: [
    { above: -1, rates: { input, cacheRead: 1, output } },
    { above: 200_000, rates: { input: 9 * input, output: 9 * output } },
  ],
  speeds: {},
  tierMultipliers: {},
  geoMultipliers: {},
  fees: request === 0 ? {} : { request },
  contextWindow: null,
  version: 'test/a#1',
  source: 'test',
});
const priced = (...cards: RateCard[]): ModelBounds => ({ cards, outputMax: null });
/** $0.05 and $0.24 per million tokens. */
const LISTED = [priced(card(50_000, 240_000))];
const MOST = { prompt: 0.05, completion: 0.24, request: 0 };

/** `provider` as it goes upstream. */
function sent(provider: unknown, models: readonly ModelBounds[] | null = LISTED, address = CHAT): unknown {
  const body = JSON.stringify({ model: 'a/b', messages: [], ...(provider === undefined ? {} : { provider }) });
  const splices = readBody(address, body).forward({ outputMax: null, tier: null, models });
  return (JSON.parse(spliced(body, splices)) as { provider?: unknown }).provider;
}

describe('a call through OpenRouter', () => {
  test.each<[string, unknown, unknown]>([
    ['is bound to the list’s prices', undefined, { max_price: MOST }],
    ['is bound where it names no provider', null, { max_price: MOST }],
    ['is bound where it names nothing', {}, { max_price: MOST }],
    [
      'keeps its choice of endpoints below these prices',
      { order: ['cerebras'], sort: 'throughput' },
      { max_price: MOST, order: ['cerebras'], sort: 'throughput' },
    ],
    ['is bound where its maximum is none', { max_price: null, only: ['a'] }, { max_price: MOST, only: ['a'] }],
    ['is bound where its maximum says nothing', { max_price: {} }, { max_price: MOST }],
    [
      'has higher maximum prices lowered',
      { max_price: { prompt: 1, completion: '2', request: 0.5, image: 3 } },
      { max_price: { ...MOST, image: 3 } },
    ],
    [
      'keeps lower maximum prices of its own',
      { max_price: { prompt: 0.01, completion: '0.1', request: 0 } },
      { max_price: { prompt: 0.01, completion: '0.1', request: 0 } },
    ],
    [
      'has what it leaves out filled in',
      { max_price: { completion: 0.1, prompt: null } },
      { max_price: { request: 0, completion: 0.1, prompt: 0.05 } },
    ],
  ])('%s', (_, provider, forwarded) => {
    expect(sent(provider)).toEqual({ ...(forwarded as object), require_parameters: true });
    expect(sent(provider, LISTED, EMBEDDINGS)).toEqual(forwarded);
  });

  test('is bound to the highest price of the models and periods in its hold', () => {
    const models = [priced(card(3_000_000, 1), card(2_500_000, 15_000_000)), priced(card(1, 1, 5_000_000_000))];
    expect(sent(undefined, models)).toMatchObject({ max_price: { prompt: 3, completion: 15, request: 0.005 } });
    expect(sent(undefined, [priced(card(0, 0))])).toMatchObject({
      max_price: { prompt: 0, completion: 0, request: 0 },
    });
    expect(sent(undefined, [priced(card(1, 10_000_001))])).toMatchObject({
      max_price: { prompt: 0.000001, completion: 10.000001, request: 0 },
    });
  });

  test.each([false, null, 'false', true])(
    'reaches no endpoint that ignores its maximum, whatever it says: %j',
    (says) => {
      expect(sent({ require_parameters: says })).toEqual({ max_price: MOST, require_parameters: true });
      expect(sent({ max_price: MOST, require_parameters: says })).toEqual({
        max_price: MOST,
        require_parameters: true,
      });
    },
  );

  test('stays unchanged if no dollar limit blocks, or if a model has no price', () => {
    expect(sent({ sort: 'price' }, null)).toEqual({ sort: 'price' });
    expect(sent(undefined, null)).toBeUndefined();
    expect(sent(undefined, [...LISTED, priced()])).toBeUndefined();
  });

  test.each<[string, unknown, string]>([
    ['a provider that is a text', 'cerebras', 'provider, which is not an object'],
    ['a maximum that is a number', { max_price: 5 }, 'provider.max_price, which is not an object'],
    ['a price with an exponent', { max_price: { prompt: '1e-9' } }, 'provider.max_price.prompt, which is not a price'],
    ['a price below nothing', { max_price: { completion: -1 } }, 'provider.max_price.completion, which is not a price'],
    ['a price that is a list', { max_price: { request: [0] } }, 'provider.max_price.request, which is not a price'],
  ])('has no bound with %s', (_, provider, unbounded) => {
    const model = 'a/b';
    expect(readBody(CHAT, { model, messages: [], provider }).demand.work).toMatchObject({
      unbounded,
      hasUnlistedFee: true,
    });
    expect(readBody(EMBEDDINGS, { model, input: 'a', provider }).demand.work).toMatchObject({
      unbounded,
      hasUnlistedFee: true,
    });
  });
});

describe('another provider', () => {
  test.each(['provider', 'providerOptions', 'fallbacks'])(
    'has no bound for "%s", by which a router chooses an endpoint with another price',
    (name) => {
      const unbounded = `${name}, which may choose an endpoint with another price`;
      const work = { unbounded, hasUnlistedFee: true };
      const body = { model: 'a', messages: [], [name]: { order: ['b'] } };
      expect(readBody('groq/chat/completions', body).demand.work).toMatchObject(work);
      expect(readBody('groq/embeddings', body).demand.work).toMatchObject(work);
    },
  );

  test('is bound to OpenRouter’s prices if it was added with them', () => {
    const eu = { id: 'eu', name: 'EU', url: 'https://eu.openrouter.ai/api/v1', priceProvider: 'openrouter' };
    const route = customProvider(eu).route('POST', '/chat/completions');
    if (route.kind !== 'inference') throw new Error('It runs no model.');
    const body = '{"model":"a/b"}';
    const splices = route.readRequest(Buffer.from(body)).forward({ outputMax: null, tier: null, models: LISTED });
    expect(JSON.parse(spliced(body, splices))).toEqual({
      model: 'a/b',
      provider: { max_price: MOST, require_parameters: true },
    });
  });
});

test('the listed window does not bound a prompt through OpenRouter, whose endpoints have larger ones', () => {
  const text = 'a'.repeat(200_000);
  const window = { ...card(50_000, 240_000), contextWindow: 64_000 };
  const tokens = (content: unknown): number => {
    const body = { model: 'a/b', max_tokens: 1, messages: [{ role: 'user', content }] };
    const { demand } = readBody(CHAT, body);
    return boundCall(demand, [priced(window)], { geo: null, tier: null }).hold.inputTokens;
  };
  expect(tokens(text)).toBeGreaterThan(200_000);
  const picture = { type: 'image_url', image_url: { url: 'https://a.example/b.png' } };
  expect(tokens([{ type: 'text', text }, picture])).toBeGreaterThan(264_000);
});
