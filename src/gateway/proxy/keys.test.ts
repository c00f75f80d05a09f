import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { GatewayKey } from '../../domain/identity/wrapped-key.ts';
import { KeyRing, readRequestSecret } from './keys.ts';
import { OPEN_POLICY } from '../../domain/policy/policy.ts';
import { KEY_HEADERS } from '../../lib/http/key-headers.ts';
import { isKeptFromProviders } from './withheld-headers.ts';

const SECRET = 'svc_sk_abcdef';
const key: GatewayKey = {
  id: 'key_1',
  hash: hash('sha256', SECRET, 'base64url'),
  workspaceId: 'ws_default',
  provider: 'anthropic',
  name: 'first',
  credential: 'provider_key',
  tags: {},
  expiresAt: null,
  revokedAt: null,
  policy: OPEN_POLICY,
  providerKey: 'sk-ant',
};

function ring(change: Partial<GatewayKey> = {}): KeyRing {
  const keys = new KeyRing();
  keys.load([{ ...key, ...change }], [hash('sha256', 'svc_sk_token', 'base64url')]);
  return keys;
}

test('a valid key is found by its text', () => {
  expect(ring().find(SECRET, 1_000).id).toBe('key_1');
});

test.each([
  ['no key', {}, null, /No wrapped key/],
  ['an unknown key', {}, 'svc_sk_other', /not known/],
  ['a provider key', {}, 'sk-ant-api03-x', /provider's own key/],
  ['an access token', {}, 'svc_sk_token', /access token/],
  ['a revoked key', { revokedAt: 1_000 }, SECRET, /revoked/],
  ['an expired key', { expiresAt: 1_000 }, SECRET, /expired/],
  ["a key whose provider key can't be opened", { providerKey: '' }, SECRET, /"first" can't be opened.*keys replace/],
])('%s is refused with what to do', (_what, change, secret, sentence) => {
  expect(() => ring(change).find(secret, 1_000)).toThrow(sentence);
});

test('a key that expires later is valid', () => {
  expect(ring({ expiresAt: 1_001 }).find(SECRET, 1_000).id).toBe('key_1');
});

test('a change from the ledger thread applies to the next call', () => {
  const keys = ring();
  keys.put({ ...key, revokedAt: 500 });
  expect(() => keys.find(SECRET, 1_000)).toThrow(/revoked/);
});

test.each([
  [{ authorization: 'Bearer svc_sk_a' }, null, 'svc_sk_a'],
  [{ authorization: 'bearer   svc_sk_a' }, null, 'svc_sk_a'],
  [{ authorization: 'Basic abc' }, null, null],
  [{ 'x-api-key': 'svc_sk_a' }, null, 'svc_sk_a'],
  [{ 'x-goog-api-key': 'svc_sk_a' }, null, 'svc_sk_a'],
  [{ 'api-key': 'svc_sk_a' }, null, 'svc_sk_a'],
  [{}, 'svc_sk_a', 'svc_sk_a'],
  [{ authorization: 'Bearer other', 'x-api-key': 'svc_sk_a' }, null, 'svc_sk_a'],
  [{ authorization: 'Bearer svc_sk_a', 'x-api-key': 'svc_sk_a' }, null, 'svc_sk_a'],
  [{}, null, null],
])('the key is read from where client libraries put it: %j %s', (headers, queryKey, secret) => {
  expect(readRequestSecret(headers, queryKey)).toBe(secret);
});

test.each(KEY_HEADERS)('a wrapped key is read from the header %s, and does not travel on', (name) => {
  const headers = { [name]: name === 'authorization' ? `Bearer ${SECRET}` : SECRET };
  expect(readRequestSecret(headers, null), `readRequestSecret does not read the header ${name}`).toBe(SECRET);
  expect(isKeptFromProviders(name)).toBe(true);
});

test('two different wrapped keys in one request are refused', () => {
  expect(() => readRequestSecret({ authorization: 'Bearer svc_sk_a', 'x-api-key': 'svc_sk_b' }, null)).toThrow(
    /Two different/,
  );
});
