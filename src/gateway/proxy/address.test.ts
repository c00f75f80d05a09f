import { expect, test } from 'vitest';
import { knownParameters, readProxyAddress } from './address.ts';
import { buildProviders } from '../../providers/providers.ts';

test.each([
  ['/api/proxy/anthropic', { provider: 'anthropic', rest: '', query: '', queryKey: null }],
  ['/api/proxy/anthropic/', { provider: 'anthropic', rest: '', query: '', queryKey: null }],
  [
    '/api/proxy/anthropic/v1/messages?beta=true',
    { provider: 'anthropic', rest: '/v1/messages', query: '?beta=true', queryKey: null },
  ],
  [
    '/api/proxy/google/v1/models/m:x?alt=sse&key=abc',
    { provider: 'google', rest: '/v1/models/m:x', query: '?alt=sse', queryKey: 'abc' },
  ],
  ['/api/proxy/google?KEY=abc', { provider: 'google', rest: '', query: '', queryKey: 'abc' }],
  ['/api/proxy/google?%6bey=abc&a=1', { provider: 'google', rest: '', query: '?a=1', queryKey: 'abc' }],
  ['/api/proxy/google?a=svc_sk_x&b=2', { provider: 'google', rest: '', query: '?b=2', queryKey: null }],
  ['/api/proxy/google?a=svc%5fsk_x&b=2', { provider: 'google', rest: '', query: '?b=2', queryKey: null }],
  ['/api/proxy/google?a=1=svc_sk_x&b=2', { provider: 'google', rest: '', query: '?b=2', queryKey: null }],
  ['/api/proxy/x?monkey=1', { provider: 'x', rest: '', query: '?monkey=1', queryKey: null }],
  ['/api/proxy//v1/messages', { provider: '', rest: '/v1/messages', query: '', queryKey: null }],
])('the caller’s key never stays in the query of %s', (url, address) => {
  expect(readProxyAddress(url)).toEqual(address);
});

test.each([['/api/proxy/google?key=%zz'], [`/api/proxy/google?${'a'.repeat(5_000)}`]])(
  'an ambiguous address is refused: %.40s',
  (url) => {
    expect(() => readProxyAddress(url)).toThrow(/address/);
  },
);

const providers = buildProviders({ urls: {}, custom: [] });

function passed(id: string, query: string): string {
  const provider = providers.get(id);
  if (!provider) throw new Error(`There is no ${id}.`);
  return knownParameters(query, provider).query;
}

test.each([
  ['anthropic', '?beta=true'],
  ['anthropic', '?limit=20&after_id=a'],
  ['google', '?alt=sse'],
  ['google', '?alt=json'],
  ['google', '?pageSize=50&pageToken=a%2Fb'],
  ['openai', '?api-version=2026-01-01'],
  ['openai', '?client_version=0.169.0'],
  ['openrouter', '?category=programming'],
  ['google', ''],
])('a known parameter of %s passes byte for byte: %s', (id, query) => {
  expect(passed(id, query)).toBe(query);
});

test.each([
  // Leaves the usage out of the answer.
  ['google', '?fields=candidates', ''],
  ['google', '?%24fields=candidates', ''],
  ['google', '?$fields=candidates', ''],
  ['google', '?alt=sse&fields=candidates,usageMetadata(promptTokenCount)', '?alt=sse'],
  ['google', '?%66ields=candidates&alt=sse', '?alt=sse'],
  // Has the request read in another way.
  ['google', '?$alt=proto', ''],
  ['google', '?alt=proto', ''],
  ['google', '?alt', ''],
  ['google', '?$req=%7B%7D&$ct=application/json&$httpMethod=PUT', ''],
  ['google', '?%24httpHeaders=X-HTTP-Method-Override%3APUT', ''],
  ['google', '?access_token=a&callback=b&uploadType=media', ''],
  ['google', '?pageSize=1;fields=candidates', ''],
  ['google', '?pageSize=1%3Bfields=candidates', ''],
  ['google', '?ALT=proto', ''],
  ['anthropic', '?beta=true&$fields=a', '?beta=true'],
  ['openai', '?stream=true', ''],
  ['groq', '?n=100', ''],
])('no other parameter reaches %s: %s', (id, query, left) => {
  expect(passed(id, query)).toBe(left);
});

test('the response lists the omitted parameters, in characters that a header allows', () => {
  const google = { name: 'Google', queryParameters: ['alt=sse'] };
  const { warning } = knownParameters('?alt=sse&fields=a&\u00e4\r\n=b', google);
  expect(warning).toBe('left out of the query, as they are not known parameters of Google: fields, ???');
  expect(knownParameters(`?${'a=1&'.repeat(1_000)}`, google).warning?.length).toBeLessThan(200);
});
