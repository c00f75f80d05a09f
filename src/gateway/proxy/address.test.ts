import { expect, test } from 'vitest';
import { readProxyAddress } from './address.ts';

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
  'an address that can be read in two ways is refused: %.40s',
  (url) => {
    expect(() => readProxyAddress(url)).toThrow(/address/);
  },
);
