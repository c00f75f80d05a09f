import { expect, test } from 'vitest';
import { clientHeaders, offeredEncodings, upstreamHeaders } from './headers.ts';

test('headers of this hop, this host and the client’s secrets do not reach a provider', () => {
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

test('a header sent by the client overrides the default', () => {
  expect(upstreamHeaders({ 'anthropic-version': '2026-10-21' }, { 'anthropic-version': '2023-06-01' })).toEqual({
    'anthropic-version': '2026-10-21',
  });
});

test.each([
  'X-Real-IP',
  'True-Client-IP',
  'CF-Connecting-IP',
  'CF-IPCountry',
  'CF-Access-Jwt-Assertion',
  'CDN-Loop',
  'X-Client-IP',
  'Fastly-Client-IP',
  'X-Cluster-Client-IP',
  'X-Forwarded-For',
  'X-Forwarded-Client-Cert',
  'X-Original-Forwarded-For',
  'X-Vercel-Forwarded-For',
  'Forwarded',
  'Via',
  'X-Envoy-External-Address',
  'X-Azure-ClientIP',
  'X-Amzn-Oidc-Identity',
  'X-Auth-Request-Email',
  'X-MS-Client-Principal-Name',
  'Tailscale-User-Login',
  'Remote-User',
])('%s, in which a proxy names the client, does not reach a provider', (name) => {
  expect(upstreamHeaders({ [name.toLowerCase()]: 'somebody' }, {})).toEqual({});
});

test.each(['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override', 'X-Rewrite-URL', 'X-Goog-FieldMask'])(
  '%s, which would make a provider read another request or omit the usage, does not reach it',
  (name) => {
    expect(upstreamHeaders({ [name.toLowerCase()]: 'a' }, {})).toEqual({});
  },
);

test('headers sent by clients of providers reach them', () => {
  const sent = {
    'user-agent': 'OpenAI/Python 2.1.0',
    'x-stainless-lang': 'js',
    'x-stainless-retry-count': '0',
    'x-app': 'cli',
    'anthropic-version': '2023-06-01',
    'anthropic-dangerous-direct-browser-access': 'true',
    'openai-organization': 'org_1',
    'openai-project': 'proj_1',
    'openai-beta': 'responses=v1',
    originator: 'codex_cli_rs',
    session_id: 's',
    'chatgpt-account-id': 'a',
    'x-goog-api-client': 'genai-js/1',
    'x-goog-user-project': 'p',
    'idempotency-key': 'i',
    'x-client-request-id': 'r',
    traceparent: '00-1-2-01',
    'http-referer': 'https://app.example',
    'x-title': 'App',
    'cf-aig-metadata': '{}',
    'x-ms-client-request-id': 'r',
  };
  expect(upstreamHeaders(sent, {})).toEqual(sent);
});

test('headers that would make another AI gateway repeat or redirect a call are removed', () => {
  const sent = {
    'cf-aig-max-attempts': '5',
    'cf-aig-request-timeout': '500',
    'helicone-retry-enabled': 'true',
    'helicone-fallbacks': '[]',
    'x-portkey-config': '{}',
    'x-litellm-num-retries': '3',
    'x-ms-spillover-deployment': 'gpt-5',
  };
  expect(upstreamHeaders({ ...sent, 'helicone-property-team': 'ai' }, {})).toEqual({ 'helicone-property-team': 'ai' });
});

const NO_PAGE = ['x-content-type-options', 'nosniff', 'content-security-policy', "sandbox; default-src 'none'"];

test('rate-limit headers are passed on; headers about the provider’s own host are not', () => {
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
  const passed = ['anthropic-ratelimit-requests-remaining', '3', 'retry-after', '7', 'content-length', '12'];
  expect(out).toEqual([...NO_PAGE, ...passed]);
});

test('a length or encoding that is no longer valid is removed', () => {
  const from = { 'content-length': '12', 'content-encoding': 'gzip', etag: 'x' };
  expect(clientHeaders(from, false, false)).toEqual([...NO_PAGE, 'etag', 'x']);
  expect(clientHeaders(from, false, true)).toEqual([...NO_PAGE, 'content-encoding', 'gzip', 'etag', 'x']);
});

test.each([
  [undefined, 'identity'],
  ['*', 'identity'],
  ['gzip, deflate, br, zstd', 'gzip, deflate, br, zstd'],
  ['gzip;q=0, br', 'br'],
  ['compress, x-unknown', 'identity'],
  ['GZIP', 'gzip'],
])('a provider is offered only encodings that both client and gateway can read: %s', (accepted, offered) => {
  expect(offeredEncodings(accepted)).toBe(offered);
});
