import { describe, expect, test } from 'vitest';
import type { ProviderKind } from '../../domain/identity/custom-provider.ts';
import { createPriceBook } from '../../prices/price-book.ts';
import { answerHead } from '../contract/replay.ts';
import { keyHeaders, providerContract } from '../contract/provider-contract.ts';
import type { Provider, RequestFacts } from '../provider.ts';
import { customProvider } from '../providers.ts';
import { providerPlace } from './cloud-url.ts';

const said = { messages: [{ role: 'user', content: 'Hi' }] };
const KEY = 'AKIAIOSFODNN7EXAMPLE:wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';

function served(kind: ProviderKind): Provider {
  const { url } = providerPlace({ kind, region: 'us-west-2' });
  return customProvider({ id: kind, name: kind, url, priceProvider: null });
}

function readCall(provider: Provider, path: string, body: object): RequestFacts {
  const route = provider.route('POST', path);
  if (route.kind !== 'inference') throw new Error(`${path} is not served.`);
  return route.readRequest(Buffer.from(JSON.stringify(body)));
}

describe.each([
  ['bedrock-openai', 'https://bedrock-mantle.us-west-2.api.aws/v1', 'authorization', 'aws', '/v1/chat/completions'],
  ['bedrock-anthropic', 'https://bedrock-mantle.us-west-2.api.aws/anthropic', 'authorization', 'aws', '/v1/messages'],
  ['aws-anthropic', 'https://aws-external-anthropic.us-west-2.api.aws', 'x-api-key', 'anthropic', '/v1/messages'],
] as const)('%s', (kind, url, header, prices, path) => {
  const provider = served(kind);
  providerContract(provider, { path, body: { model: 'some-model', ...said } });

  test('follows from its URL, which follows from the region', () => {
    expect(provider).toMatchObject({ url, priceProvider: prices });
    expect(keyHeaders(provider)).toEqual([header]);
  });

  test('signs requests with an access key, for its own service and region', () => {
    const headers: Record<string, string> = {};
    provider.authorize(headers, KEY);
    provider.sign?.({ method: 'POST', origin: new URL(url).origin, path, headers, body: null }, KEY, 0);
    const service = kind === 'aws-anthropic' ? 'aws-external-anthropic' : 'bedrock-mantle';
    expect(headers['authorization']).toContain(`/19700101/us-west-2/${service}/aws4_request`);
  });
});

test('the price at Bedrock is that of the name in the request', () => {
  const model = 'global.anthropic.claude-opus-4-8';
  const facts = readCall(served('bedrock-anthropic'), '/anthropic/v1/messages', { model, max_tokens: 9, ...said });
  const reader = facts.openReader(answerHead('application/json'));
  reader.push(Buffer.from('{"type":"message","model":"claude-opus-4-8","usage":{"input_tokens":1,"output_tokens":1}}'));
  expect(reader.model).toBe(model);
});

test("Bedrock's runtime serves Anthropic's form too", () => {
  const body = { model: 'us.anthropic.claude-opus-4-8', max_tokens: 9, ...said };
  expect(readCall(served('bedrock'), '/anthropic/v1/messages', body)).toMatchObject({
    model: 'us.anthropic.claude-opus-4-8',
    upstreamPath: '/anthropic/v1/messages',
  });
});

test.each(['anthropic.claude-haiku-4-5', 'openai.gpt-oss-120b', 'anthropic.claude-opus-4-8'])(
  '%s has a price',
  (model) => {
    expect(createPriceBook().resolve('ws', 'aws', model, Date.UTC(2026, 10, 24))).not.toBeNull();
  },
);
