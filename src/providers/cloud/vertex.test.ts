import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { boundCall } from '../../domain/limits/cost-bound.ts';
import { OPEN_POLICY } from '../../domain/policy/policy.ts';
import { priceUsage } from '../../domain/pricing/pricing.ts';
import { createPriceBook } from '../../prices/price-book.ts';
import { answerHead, replay, sse } from '../contract/replay.ts';
import { providerContract } from '../contract/provider-contract.ts';
import { requestBounds } from '../contract/request-contract.ts';
import type { Provider, RequestFacts } from '../provider.ts';
import { customProvider } from '../providers.ts';
import { providerPlace } from './cloud-url.ts';
import { compactGoogleKey, refuseGoogleKey, ServiceAccountTokens } from './service-account.ts';

function vertexIn(region: string): Provider {
  const { url } = providerPlace({ kind: 'vertex', project: 'project-1', region });
  return customProvider({ id: 'vertex', name: 'Vertex AI', url, priceProvider: null });
}

const vertex = vertexIn('global');
const MODELS = '/v1/projects/project-1/locations/global/publishers';
const CLAUDE = `${MODELS}/anthropic/models/claude-haiku-4-5@20251001`;
const GEMINI = `${MODELS}/google/models/gemini-2.5-flash`;
const said = (content: unknown) => ({ max_tokens: 64, messages: [{ role: 'user', content }] });
const claude = { anthropic_version: 'vertex-2023-10-16', max_tokens: 64, messages: [{ role: 'user', content: 'Hi' }] };
const gemini = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] };

providerContract(vertex, { path: `${CLAUDE}:rawPredict`, body: claude });
providerContract(vertex, { path: `${GEMINI}:generateContent`, body: gemini });
requestBounds(vertex, `${CLAUDE}:streamRawPredict`, {
  dearTool: { ...said('Hi'), tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
  picture: said([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo' } }]),
  unknownPart: said([{ type: 'hologram' }]),
});

function readCall(provider: Provider, path: string, body: object): RequestFacts {
  const route = provider.route('POST', path);
  if (route.kind !== 'inference') throw new Error(`${path} is not served: ${JSON.stringify(route)}`);
  return route.readRequest(Buffer.from(JSON.stringify(body)));
}

test.each([
  ['global', 'https://aiplatform.googleapis.com'],
  ['us', 'https://aiplatform.us.rep.googleapis.com'],
  ['europe-west1', 'https://europe-west1-aiplatform.googleapis.com'],
])('the region %s is reached at %s, and its URL implies Vertex AI', (region, origin) => {
  const provider = vertexIn(region);
  expect(provider).toMatchObject({ url: origin, priceProvider: 'vertex' });
  expect(readCall(provider, '/publishers/google/models/gemini-2.5-flash:generateContent', gemini).upstreamPath).toBe(
    `/v1/projects/project-1/locations/${region}/publishers/google/models/gemini-2.5-flash:generateContent`,
  );
});

test.each([
  [{ region: 'us-east5' }, 'project'],
  [{ project: 'project-1' }, 'region'],
  [{ project: 'project-1', region: 'evil.example/' }, 'region'],
  [{ project: '../x', region: 'us-east5' }, 'project'],
  [{ project: 'project-1', region: 'us-east5', url: 'https://a.example' }, 'url'],
])('the place %j is refused by its %s', (place, param) => {
  expect(() => providerPlace({ kind: 'vertex', ...place })).toThrow(
    expect.objectContaining({ type: 'invalid', param }),
  );
});

test('a version, a project and a location may be in the path, and a deployment counts as its model', () => {
  const deployments = { 'endpoint-7': 'gemini-2.5-pro' };
  const { url } = providerPlace({ kind: 'vertex', project: 'project-1', region: 'global' });
  const own = customProvider({ id: 'vertex', name: 'Vertex AI', url, priceProvider: null, deployments });
  const facts = readCall(own, '/v1beta1/publishers/google/models/endpoint-7:streamGenerateContent', gemini);
  expect(facts).toMatchObject({ model: 'gemini-2.5-pro', stream: true });
  expect(facts.upstreamPath).toMatch(/^\/v1beta1\/projects\/project-1\/.*\/endpoint-7:streamGenerateContent$/);
  expect(own.route('GET', '/publishers/anthropic/models')).toMatchObject({ kind: 'free' });
  expect(own.route('POST', `${MODELS}/anthropic/models/count-tokens:rawPredict`)).toMatchObject({ kind: 'free' });
});

describe('prompts are counted', () => {
  const text = (facts: RequestFacts, body: object): unknown =>
    JSON.parse(Buffer.from(facts.counter!.requestOf(Buffer.from(JSON.stringify(body)))).toString());

  test('for Claude with the model in the body', () => {
    const facts = readCall(vertex, `${CLAUDE}:rawPredict`, claude);
    expect(facts.counter?.upstreamPath).toBe(`${MODELS}/anthropic/models/count-tokens:rawPredict`);
    const { max_tokens: _, ...prompt } = claude;
    expect(text(facts, claude)).toEqual({ ...prompt, model: 'claude-haiku-4-5@20251001' });
    expect(facts.counter?.read(Buffer.from('{"input_tokens":100}'))).toBeGreaterThan(100);
  });

  test('for Gemini with the model in the path', () => {
    const facts = readCall(vertex, `${GEMINI}:generateContent`, gemini);
    expect(facts.counter?.upstreamPath).toBe(`${GEMINI}:countTokens`);
    expect(text(facts, gemini)).toEqual(gemini);
  });
});

describe('the price', () => {
  const book = createPriceBook();
  const resolve = (model: string) => book.resolve('ws', 'vertex', model, Date.UTC(2026, 10, 22));

  function amounts(region: string, model: string) {
    const isClaude = model.startsWith('claude');
    const path = isClaude
      ? `/publishers/anthropic/models/${model}:rawPredict`
      : `/publishers/google/models/${model}:generateContent`;
    const { demand, openReader } = readCall(vertexIn(region), path, isClaude ? claude : gemini);
    const reader = openReader(answerHead('application/json'));
    const usage = isClaude
      ? { type: 'message', usage: { input_tokens: 1_000, output_tokens: 1_000, inference_geo: 'global' } }
      : { usageMetadata: { promptTokenCount: 1_000, candidatesTokenCount: 1_000, totalTokenCount: 2_000 } };
    reader.push(Buffer.from(JSON.stringify(usage)));
    reader.end();
    const models = [{ cards: [resolve(model)!], outputMax: 1_000 }];
    return {
      held: boundCall(demand, models, OPEN_POLICY).hold.usd!,
      booked: priceUsage(reader.usage()!, model, resolve).cost!,
    };
  }

  test.each([
    ['claude-haiku-4-5@20251001', 1.1],
    ['claude-opus-5', 1.1],
    ['claude-opus-4-1', 1],
    ['gemini-3.5-flash', 1.1],
    ['gemini-2.5-flash', 1],
  ])('of %s in a region is %d times that of the global endpoint, held and booked', (model, factor) => {
    const [plain, regional] = [amounts('global', model), amounts('us-east5', model)];
    expect(regional.held / plain.held).toBeCloseTo(factor, 5);
    expect(regional.booked / plain.booked).toBeCloseTo(factor, 5);
    expect(amounts('eu', model)).toEqual(regional);
  });

  test('of every model of Claude with a price for one geography is known in regions', () => {
    const cards = book
      .list('ws', 'vertex', Date.UTC(2026, 10, 22))
      .filter(({ geoMultipliers }) => geoMultipliers['us']);
    expect(cards.length).toBeGreaterThan(5);
    expect(cards.filter(({ geoMultipliers }) => !geoMultipliers['regional']).map(({ model }) => model)).toEqual([]);
  });

  test('is that of the vendor at the global endpoint', () => {
    expect(amounts('global', 'claude-haiku-4-5').booked).toBe(6_000_000);
    expect(resolve('gemini-2.5-flash')?.tiers[0]?.rates.input).toBe(300_000);
    expect(resolve('claude-opus-4-8')?.contextWindow).toBe(1_000_000);
    expect(resolve('gpt-5')).toBeNull();
  });

  test('of provisioned throughput is unknown, and that of other traffic follows its tier', () => {
    const tierOf = (trafficType: string) => {
      const { openReader } = readCall(vertex, `${GEMINI}:generateContent`, gemini);
      const reader = openReader(answerHead('application/json'));
      const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2, trafficType };
      reader.push(Buffer.from(JSON.stringify({ usageMetadata })));
      return priceUsage(reader.usage()!, 'gemini-2.5-flash', resolve).cost;
    };
    expect(tierOf('PROVISIONED_THROUGHPUT')).toBeNull();
    expect(tierOf('ON_DEMAND')).toBe(2_800);
    expect(tierOf('ON_DEMAND_FLEX')).toBe(1_400);
  });
});

test('a stream of Claude is read the same way wherever it is cut', () => {
  const { openReader } = readCall(
    vertexIn('us-east5'),
    `${CLAUDE.replace('global', 'us-east5')}:streamRawPredict`,
    claude,
  );
  const start = { id: 'msg_vrtx_1', model: 'claude-haiku-4-5-20251001', usage: { input_tokens: 9, output_tokens: 1 } };
  const stream = [
    sse({ type: 'message_start', message: start }, 'message_start'),
    sse({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } }, 'content_block_delta'),
    sse({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } }, 'message_delta'),
    sse({ type: 'message_stop' }, 'message_stop'),
  ].join('');
  expect(replay(() => openReader(answerHead('text/event-stream')), stream)).toMatchObject({
    complete: true,
    model: 'claude-haiku-4-5-20251001',
    responseId: 'msg_vrtx_1',
    usage: { inferences: [{ tokens: { input: 9, output: 5 } }], terms: { geo: 'regional' } },
  });
});

describe('a service account', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const file = { type: 'service_account', client_email: 'a@b.example', private_key: pem, private_key_id: 'key-1' };
  const key = compactGoogleKey(JSON.stringify(file, null, 2));
  const NOW = Date.UTC(2026, 10, 24);

  test('is stored as one word, and keeps its key', () => {
    expect(key).toMatch(/^[\x21-\x7e]{100,4096}$/);
    expect(JSON.parse(key)).toEqual(file);
    expect(refuseGoogleKey(key)).toBeNull();
    expect(compactGoogleKey('ya29.token')).toBe('ya29.token');
  });

  test.each([
    ['{"type":"authorized_user","client_email":"a@b.example","private_key":"x"}'],
    ['{"type":"service_account","client_email":"a@b.example","private_key":"x"}'],
    ['{"type":'],
  ])('is needed: %s is refused', (text) => {
    expect(refuseGoogleKey(text)).toMatch(/JSON key of a service account/);
    expect(new ServiceAccountTokens().find(text, NOW)).toBeNull();
  });

  test('keeps a token until five minutes before its end, and gets another one then or after a step of the clock', () => {
    const tokens = new ServiceAccountTokens();
    const first = tokens.find(key, NOW);
    expect(tokens.find(key, NOW + 54 * 60_000)).toBe(first);
    const next = tokens.find(key, NOW + 55 * 60_000);
    expect(next).not.toBe(first);
    expect(tokens.find(key, NOW - 60 * 60_000)).not.toBe(next);
  });
});
