import { describe, expect, test } from 'vitest';
import { TollbookError } from '../../domain/errors.ts';
import type { CustomProvider } from '../../domain/identity/custom-provider.ts';
import { keyHeaders, toContractCall, providerContract } from '../contract/provider-contract.ts';
import type { Provider, RequestFacts } from '../provider.ts';
import { buildProviders, customProvider } from '../providers.ts';

const added = (url: string, more: Partial<CustomProvider> = {}): Provider =>
  customProvider({ id: 'mine', name: 'Mine', url, priceProvider: null, ...more });
const DEPLOYMENTS = { 'prod-chat': 'gpt-4o', 'prod-claude': 'claude-haiku-4-5' };
const azure = added('https://res.openai.azure.com', { deployments: DEPLOYMENTS });
const foundry = added('https://res.services.ai.azure.com/anthropic', { deployments: DEPLOYMENTS });

for (const provider of [azure, foundry]) providerContract(provider, toContractCall(provider));

function readCall(provider: Provider, path: string, body: object): RequestFacts {
  const route = provider.route('POST', path);
  if (route.kind !== 'inference') throw new Error(`${path} is not served.`);
  return route.readRequest(Buffer.from(JSON.stringify(body)));
}

test.each([
  ['https://res.openai.azure.com', 'https://res.openai.azure.com/openai/v1', 'api-key', 'openai'],
  ['https://res.openai.azure.com/', 'https://res.openai.azure.com/openai/v1', 'api-key', 'openai'],
  ['https://res.openai.azure.com/openai/v1/', 'https://res.openai.azure.com/openai/v1', 'api-key', 'openai'],
  ['https://res.openai.azure.us/openai', 'https://res.openai.azure.us/openai/v1', 'api-key', 'openai'],
  ['https://r.services.ai.azure.com/openai/v1', 'https://r.services.ai.azure.com/openai/v1', 'api-key', 'openai'],
  ['https://r.services.ai.azure.com/anthropic', 'https://r.services.ai.azure.com/anthropic', 'x-api-key', 'anthropic'],
  [
    'https://r.services.ai.azure.com/anthropic/v1',
    'https://r.services.ai.azure.com/anthropic',
    'x-api-key',
    'anthropic',
  ],
  // A deployment in the path, and hosts that only look like Azure.
  ['https://res.openai.azure.com/openai/deployments/a', undefined, 'authorization', 'mine'],
  ['https://openai.azure.com.example/openai/v1', undefined, 'authorization', 'mine'],
  ['http://10.0.0.7:8000/anthropic', undefined, 'authorization', 'mine'],
])('the URL %s implies the API, its key header and its prices', (given, url, header, prices) => {
  const provider = added(given);
  expect(provider).toMatchObject({ url: url ?? given, priceProvider: prices });
  expect(keyHeaders(provider)).toEqual([header]);
});

test('a named kind takes any URL, and completes one without a path', () => {
  expect(added('http://10.0.0.7', { kind: 'azure-openai' }).url).toBe('http://10.0.0.7/openai/v1');
  expect(added('http://10.0.0.7/gate', { kind: 'azure-anthropic' }).url).toBe('http://10.0.0.7/gate');
  expect(keyHeaders(added('https://r.openai.azure.com', { kind: 'openai-compatible' }))).toEqual(['authorization']);
  expect(added('https://r.openai.azure.com', { priceProvider: 'mistral' }).priceProvider).toBe('mistral');
});

describe('a deployment', () => {
  test('counts as its model in every form, and goes upstream under its own name', () => {
    const chat = { model: 'prod-chat', messages: [{ role: 'user', content: 'Hi' }] };
    for (const [path, body] of [
      ['/openai/v1/chat/completions', chat],
      ['/v1/responses', { model: 'prod-chat', input: 'Hi' }],
      ['/embeddings', { model: 'prod-chat', input: 'Hi' }],
      ['/completions', { model: 'prod-chat', prompt: 'Hi' }],
    ] as const)
      expect(readCall(azure, path, body)).toMatchObject({ model: 'gpt-4o', splices: [] });
    const messages = { model: 'prod-claude', max_tokens: 9, messages: chat.messages };
    expect(readCall(foundry, '/v1/messages', messages)).toMatchObject({ model: 'claude-haiku-4-5', splices: [] });
    const own = added('http://10.0.0.7/v1', { deployments: DEPLOYMENTS });
    expect(readCall(own, '/v1/chat/completions', chat).model).toBe('gpt-4o');
  });

  test('without an entry is a model', () => {
    expect(readCall(azure, '/responses', { model: 'gpt-5-mini', input: 'Hi' }).model).toBe('gpt-5-mini');
    expect(readCall(azure, '/responses', { model: 'constructor', input: 'Hi' }).model).toBe('constructor');
  });

  test('has the published maximum of its model for pictures', () => {
    const part = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo' } };
    const body = { model: 'prod-chat', messages: [{ role: 'user', content: [part] }] };
    expect(readCall(azure, '/chat/completions', body).demand).toMatchObject({ beyondBody: false, mediaTokens: 1_445 });
  });

  test('in the path must be that of the body, which the v1 API reads', () => {
    const path = '/openai/deployments/prod-chat/chat/completions';
    const body = { messages: [{ role: 'user', content: 'Hi' }] };
    expect(readCall(azure, path, { ...body, model: 'prod-chat' })).toMatchObject({
      model: 'gpt-4o',
      upstreamPath: '/chat/completions',
    });
    expect(() => readCall(azure, path, { ...body, model: 'gpt-5-mini' })).toThrow(TollbookError);
    expect(() => readCall(azure, path, body)).toThrow(/"model"/);
  });
});

test('errors that Azure charges for are known at its hosts', () => {
  const custom = [{ id: 'mine', name: 'Mine', url: 'https://res.openai.azure.com', priceProvider: null }];
  const host = buildProviders({ urls: {}, custom }).get('mine')?.host;
  expect(host?.chargedErrors?.has('context_length_exceeded')).toBe(true);
});

test('an added provider states no cost, whatever its id', () => {
  const facts = readCall(added('http://10.0.0.7/v1', { id: 'constructor' }), '/chat/completions', {
    model: 'm',
    messages: [{ role: 'user', content: 'Hi' }],
  });
  const reader = facts.openReader({ status: 200, contentType: 'application/json', headers: {} });
  reader.push(Buffer.from('{"model":"m","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}'));
  reader.end();
  expect(reader.usage()).not.toHaveProperty('statedCost');
});
