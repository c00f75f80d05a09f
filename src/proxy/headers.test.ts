import { expect, test } from 'vitest';
import { clientHeaders, offeredEncodings, upstreamHeaders } from './headers.ts';

test('what belongs to this hop, this host or this client’s secrets does not reach a provider', () => {
  const kept = upstreamHeaders(
    {
      host: 'gate',
      connection: 'keep-alive, X-Internal',
      'x-internal': '1',
      'keep-alive': 'timeout=5',
      'transfer-encoding': 'chunked',
      te: 'trailers',
      'content-length': '10',
      'content-encoding': 'gzip',
      authorization: 'Bearer svc_sk_a',
      'x-api-key': 'svc_sk_a',
      'x-goog-api-key': 'svc_sk_a',
      'x-other-place': 'token svc_sk_a',
      'x-svc-tags': 'a=b',
      cookie: 'session=1',
      'x-forwarded-for': '10.0.0.1',
      forwarded: 'for=10.0.0.1',
      'content-type': 'application/json',
      'anthropic-beta': 'a,b',
      'x-claude-code-session-id': 's',
    },
    { 'anthropic-version': '2023-06-01' },
  );
  expect(kept).toEqual({
    'anthropic-version': '2023-06-01',
    'content-type': 'application/json',
    'anthropic-beta': 'a,b',
    'x-claude-code-session-id': 's',
  });
});

test('a header that the client sent wins over the default', () => {
  expect(upstreamHeaders({ 'anthropic-version': '2026-10-21' }, { 'anthropic-version': '2023-06-01' })).toEqual({
    'anthropic-version': '2026-10-21',
  });
});

test('rate-limit headers pass on; what speaks for the provider’s own host does not', () => {
  const out = clientHeaders(
    {
      'anthropic-ratelimit-requests-remaining': '3',
      'retry-after': '7',
      'content-length': '12',
      connection: 'close',
      'set-cookie': ['a=b'],
      'strict-transport-security': 'max-age=1',
      'alt-svc': 'h3',
      'x-svc-cost-usd': '0',
    },
    true,
    true,
  );
  expect(out).toEqual(['anthropic-ratelimit-requests-remaining', '3', 'retry-after', '7', 'content-length', '12']);
});

test('a length or encoding that is no longer true is not passed on', () => {
  const from = { 'content-length': '12', 'content-encoding': 'gzip', etag: 'x' };
  expect(clientHeaders(from, false, false)).toEqual(['etag', 'x']);
  expect(clientHeaders(from, false, true)).toEqual(['content-encoding', 'gzip', 'etag', 'x']);
});

test.each([
  [undefined, 'identity'],
  ['*', 'identity'],
  ['gzip, deflate, br, zstd', 'gzip, deflate, br, zstd'],
  ['gzip;q=0, br', 'br'],
  ['compress, x-unknown', 'identity'],
  ['GZIP', 'gzip'],
])('a provider is offered only encodings that client and gate can both read: %s', (accepted, offered) => {
  expect(offeredEncodings(accepted)).toBe(offered);
});
