import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addressSetting, movedProvider } from '../domain/identity/custom-provider.ts';
import { answerContract } from './contract/answer-contract.ts';
import { ANSWERS } from './contract/answers.ts';
import { toContractCall, providerContract } from './contract/provider-contract.ts';
import { google } from './google/google.ts';
import { openai } from './openai/openai.ts';
import { buildProviders, checkAddresses, PROVIDERS } from './providers.ts';

const CHAT = { model: 'some-model', messages: [{ role: 'user', content: 'Hi' }], stream: false };
const GENERATE = { model: 'gemini-2.5-flash', contents: [{ parts: [{ text: 'Hi' }] }] };

const custom = { id: 'own', name: 'Our own', url: 'http://10.0.0.5:9000/v1/', priceProvider: null };
const providers = buildProviders({ urls: {}, custom: [custom] });

for (const provider of providers.values()) providerContract(provider, toContractCall(provider));
// Forms of a request beyond those that new users are shown.
providerContract(openai, { path: '/chat/completions', body: CHAT });
providerContract(google, { path: '', body: GENERATE });

describe('buildProviders', () => {
  test('serves built-in, compatible and custom providers', () => {
    expect([...providers.keys()]).toEqual([...PROVIDERS.map(({ id }) => id), 'own']);
    expect([...providers.keys()]).toEqual(
      expect.arrayContaining(['anthropic', 'google', 'openai', 'openrouter', 'own']),
    );
    expect(providers.get('own')).toMatchObject({ url: 'http://10.0.0.5:9000/v1', priceProvider: 'own' });
    expect(providers.get('xai')?.priceProvider).toBe('x-ai');
  });

  test('reaches a provider at the configured URL', () => {
    const moved = buildProviders({
      urls: { openai: 'http://127.0.0.1:9100/v1', groq: 'http://127.0.0.1:9101/openai/v1', own: 'http://127.0.0.1:1' },
      custom: [custom],
    });
    expect(['openai', 'groq', 'own'].map((id) => moved.get(id)?.url)).toEqual([
      'http://127.0.0.1:9100',
      'http://127.0.0.1:9101/openai/v1',
      'http://127.0.0.1:1',
    ]);
  });

  test('every provider has a distinct id, name and setting', () => {
    const own = PROVIDERS.map(({ id, name }) => [id, name, addressSetting(id)]);
    for (const at of [0, 1, 2]) expect(new Set(own.map((names) => names[at])).size).toBe(PROVIDERS.length);
    for (const { id } of PROVIDERS) expect(movedProvider(addressSetting(id))).toBe(id);
  });

  test('refuses a URL setting of an unknown provider and lists the known ones', () => {
    const check = (id: string) => () => checkAddresses({ [id]: 'http://127.0.0.1:1' }, providers);
    for (const id of providers.keys()) expect(check(id)).not.toThrow();
    expect(check('anthropc')).toThrow('SVC_ANTHROPC_URL does not belong to a provider');
    expect(check('anthropc')).toThrow('SVC_ANTHROPIC_URL');
  });

  test.each([
    [{ id: 'openai' }, 'conflict', 'id'],
    // Reserved for the limits of a wrapped key.
    [{ id: 'limits' }, 'conflict', 'id'],
    [{ id: 'Own' }, 'invalid', 'id'],
    [{ id: '../x' }, 'invalid', 'id'],
    [{ id: '' }, 'invalid', 'id'],
    [{ url: 'localhost:11434' }, 'invalid', 'url'],
    [{ url: 'file:///etc/passwd' }, 'invalid', 'url'],
    [{ url: 'https://x.example/v1?key=1' }, 'invalid', 'url'],
    [{ url: 'https://user:secret@x.example/v1' }, 'invalid', 'url'],
    [{ url: '' }, 'invalid', 'url'],
  ])('refuses %j', (change, type, param) => {
    expect(() => buildProviders({ urls: {}, custom: [{ ...custom, ...change }] })).toThrow(
      expect.objectContaining({ type, param }),
    );
  });
});

describe('errors in the format of each provider', () => {
  const words = (id: string, status: number, retryAfter?: number): unknown => {
    const rendered = providers
      .get(id)
      ?.renderError({ status, type: 'any', message: 'No.', callId: 'call_1', ...(retryAfter ? { retryAfter } : {}) });
    return JSON.parse(rendered?.body ?? 'null');
  };

  test.each([
    [400, 'invalid_request_error', 'INVALID_ARGUMENT', 'invalid_request_error', null],
    [401, 'authentication_error', 'UNAUTHENTICATED', 'invalid_request_error', 'invalid_api_key'],
    [402, 'billing_error', 'RESOURCE_EXHAUSTED', 'insufficient_quota', 'insufficient_quota'],
    [403, 'permission_error', 'PERMISSION_DENIED', 'invalid_request_error', 'permission_denied'],
    [404, 'not_found_error', 'NOT_FOUND', 'invalid_request_error', 'not_found'],
    [405, 'invalid_request_error', 'UNIMPLEMENTED', 'invalid_request_error', null],
    [413, 'request_too_large', 'INVALID_ARGUMENT', 'invalid_request_error', 'request_too_large'],
    [429, 'rate_limit_error', 'RESOURCE_EXHAUSTED', 'rate_limit_error', 'rate_limit_exceeded'],
    [500, 'api_error', 'INTERNAL', 'server_error', null],
    [502, 'api_error', 'UNAVAILABLE', 'server_error', 'upstream_unreachable'],
    [503, 'api_error', 'UNAVAILABLE', 'server_error', 'unavailable'],
    [504, 'timeout_error', 'DEADLINE_EXCEEDED', 'server_error', 'upstream_timeout'],
  ])('%d', (status, anthropicType, googleStatus, openaiType, openaiCode) => {
    expect(words('anthropic', status)).toEqual({
      type: 'error',
      error: { type: anthropicType, message: 'No.' },
      request_id: 'call_1',
    });
    expect(words('google', status)).toEqual({ error: { code: status, message: 'No.', status: googleStatus } });
    expect(words('openai', status)).toEqual({
      error: { message: 'No.', type: openaiType, param: null, code: openaiCode },
    });
    expect(words('groq', status)).toEqual(words('openai', status));
  });

  test('Google also has the waiting time in the body', () => {
    expect(words('google', 429, 34)).toMatchObject({
      error: { details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34s' }] },
    });
  });
});

test.each([
  ['anthropic', 'sk-ant-admin01-abc'],
  ['openai', 'sk-admin-abc'],
])('%s: an admin key is refused with a hint and not repeated', (id, key) => {
  const reason = providers.get(id)?.refuseKey(key);
  expect(reason).toContain('admin key');
  expect(reason).not.toContain(key);
});

test.each([
  ['anthropic', 'x-api-key', 'KEY'],
  ['google', 'x-goog-api-key', 'KEY'],
  ['openai', 'authorization', 'Bearer KEY'],
  ['groq', 'authorization', 'Bearer KEY'],
])('%s reads its key from the header %s', (id, name, value) => {
  const headers = {};
  providers.get(id)?.authorize(headers, 'KEY');
  expect(headers).toEqual({ [name]: value });
});

/** Providers whose answers are those of OpenAI's chat. */
const compatible = [...providers.values()].filter(
  ({ id, route }) => id !== 'openai' && route('POST', '/chat/completions').kind === 'inference',
);

/** Folders with a provider in them; `compatible` is the dialect of the rows. */
const dialects = globSync('src/providers/*/')
  .map((path) => basename(path))
  .filter((name) => existsSync(`src/providers/${name}/${name}.ts`));

test('every folder with a dialect is in PROVIDERS', () => {
  expect(dialects.length).toBeGreaterThan(3);
  const listed = new Set<string>(['compatible', ...PROVIDERS.map(({ id }) => id)]);
  for (const name of dialects)
    expect(listed.has(name), `src/providers/${name}/${name}.ts is not in PROVIDERS of src/providers/providers.ts`).toBe(
      true,
    );
});

test.each(dialects)('%s has answers for the contract', (name) => {
  expect([...ANSWERS.keys()], `${name} is not in ANSWERS of src/providers/contract/answers.ts`).toContain(name);
});

test.each(dialects.filter((name) => name !== 'compatible'))('%s is in the table of paths', (name) => {
  const [, section = ''] = readFileSync('docs/clients.md', 'utf8').split('\n## Paths\n');
  const provider = providers.get(name);
  const row = section.split('\n').find((line) => line.startsWith(`| ${provider?.name} `));
  expect(row ?? '', `${name} has no row in "Paths" of docs/clients.md`).toContain(
    provider?.firstCall.path.match(/[^/:]+$/)?.[0],
  );
});

for (const [name, answers] of ANSWERS)
  for (const provider of name === 'compatible' ? compatible : [providers.get(name)])
    for (const examples of answers) if (provider) answerContract(provider, examples);

test.each(dialects)('%s has a test of its request reader', (name) => {
  const file = `src/providers/${name}/request.test.ts`;
  expect(existsSync(file), `${file} is missing: it calls requestBounds of contract/request-contract.ts`).toBe(true);
  expect(readFileSync(file, 'utf8'), `${file} calls requestBounds of contract/request-contract.ts`).toContain(
    'requestBounds(',
  );
});
