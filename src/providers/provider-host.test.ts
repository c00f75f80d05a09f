import { expect, test } from 'vitest';
import { mayChargeRefusal } from './provider-host.ts';
import type { InferenceRoute, Provider } from './provider.ts';
import { buildProviders } from './providers.ts';

function served(url?: string): Provider {
  const providers = buildProviders({ urls: url === undefined ? {} : { openai: url }, custom: [] });
  return providers.get('openai')!;
}

const AZURE = 'https://name.openai.azure.com/openai';
const GATEWAY = 'https://gateway.example/openai';

test.each<[string | undefined, number, string | null, boolean]>([
  [AZURE, 400, 'content_filter', true],
  [AZURE, 400, 'ResponsibleAIPolicyViolation', true],
  [AZURE, 400, 'context_length_exceeded', true],
  [AZURE, 408, null, true],
  [AZURE, 400, 'unsupported_parameter', false],
  [AZURE, 429, null, false],
  [GATEWAY, 400, 'content_filter', true],
  [GATEWAY, 408, 'timeout', true],
  [GATEWAY, 400, 'context_length_exceeded', false],
  [undefined, 400, 'content_filter', false],
  [undefined, 408, null, false],
  ['https://eu.api.openai.com', 408, null, false],
  ['https://api.openai.com.example', 408, null, true],
])('a refusal by %s with status %i and code %s may be charged: %s', (url, status, code, charged) => {
  expect(mayChargeRefusal(served(url), status, code)).toBe(charged);
});

const BODIES = {
  openai: '{"model":"gpt-5","input":"Hi","messages":[]}',
  anthropic: '{"model":"claude-opus-5","max_tokens":9,"messages":[]}',
  google: '{"contents":[]}',
};

test.each(['anthropic', 'google'] as const)('another host of %s may charge for a filtered prompt', (id) => {
  const provider = buildProviders({ urls: { [id]: 'https://name.services.ai.azure.com/x' }, custom: [] }).get(id)!;
  expect(mayChargeRefusal(provider, 400, 'content_filter')).toBe(true);
});

test.each([
  ['{"error":{"code":"content_filter","innererror":{"code":"x"}}}', 'content_filter'],
  ['{"error":{"code":null,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}', 'ResponsibleAIPolicyViolation'],
  ['{"error":"no"}', null],
  ['{"error":null}', null],
])('the code of %s is %s', (answer, code) => {
  for (const [id, path] of [
    ['openai', '/v1/responses'],
    ['openai', '/v1/chat/completions'],
    ['anthropic', '/v1/messages'],
    ['google', '/v1beta/models/gemini-3.5-flash:generateContent'],
  ] as const) {
    const { readRequest } = buildProviders({ urls: {}, custom: [] }).get(id)!.route('POST', path) as InferenceRoute;
    const { openReader } = readRequest(Buffer.from(BODIES[id]));
    const reader = openReader({ status: 400, contentType: 'application/json', headers: {} });
    reader.push(Buffer.from(answer));
    expect(reader.error?.code ?? null).toBe(code);
  }
});

test('the host of a provider that the operator adds may charge for refusals', () => {
  const own = { id: 'own', name: 'Own', url: 'https://own.example/v1', priceProvider: null };
  const provider = buildProviders({ urls: {}, custom: [own] }).get('own')!;
  expect(mayChargeRefusal(provider, 400, 'content_filter')).toBe(true);
  expect(mayChargeRefusal(provider, 400, 'invalid_request')).toBe(false);
});
