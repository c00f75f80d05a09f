import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EntriesPage, EntryShape } from '../../src/contract/entries.ts';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { eventually } from '../service.ts';
import { Limited, type Reply, type TestKey } from './limited.ts';

// A wrapped key for the login of a client's own subscription, as Claude Code sends both.

const LOGIN = 'sk-ant-oat01-canary-of-a-login-0123456789';
const CHATGPT_LOGIN = 'eyJhbGciOiJub25lIn0.canary-of-a-login-of-chatgpt.c2ln';
const MODEL = 'claude-haiku-4-5';
/** 8 input and 4 output tokens at 1 and 5 USD a million. */
let limited: Limited;
let key: TestKey;
/** Address that Codex uses with a login of ChatGPT. */
let chatgpt: ProviderDouble;
let dataDir = '';

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tollbook-subscription-'));
  chatgpt = await startProviderDouble();
  const env = { SVC_LOG_LEVEL: 'trace', SVC_CHATGPT_URL: `${chatgpt.urls.openai}/v1` };
  limited = await Limited.start({ dataDir, env });
  key = await limited.manage('POST', '/keys', { name: 'ann', provider: 'anthropic', credential: 'subscription' });
});
afterAll(async () => {
  await limited.close();
  await chatgpt.close();
  await rm(dataDir, { recursive: true, force: true });
});

function call(headers: Readonly<Record<string, string>>, maxTokens = 64): Promise<Reply> {
  return limited.call({ provider: 'anthropic', model: MODEL, maxTokens, headers });
}

function callWithLogin(authorization = `Bearer ${LOGIN}`): Promise<Reply> {
  return call({ 'x-svc-key': key.key, authorization });
}

async function entryOf({ headers }: Reply): Promise<EntryShape> {
  const id = String(headers['x-svc-call-id']);
  const page = await eventually(
    () => limited.service.report<EntriesPage>(`/api/mcp/entries?find=${id}`),
    ({ entries }) => entries.length === 1,
  );
  return page.entries[0] as EntryShape;
}

test('the login reaches the provider byte for byte, without a key of Tollbook', async () => {
  const authorization = `Bearer  ${LOGIN}`;
  const reply = await callWithLogin(authorization);
  expect(reply.status).toBe(200);
  const seen = limited.double.requests.at(-1)?.headers;
  expect(seen?.['authorization']).toBe(authorization);
  expect(seen).not.toHaveProperty('x-api-key');
  expect(JSON.stringify(seen)).not.toContain('svc_sk_');
});

test('a call costs nothing, and limits count its list price', async () => {
  const limit = await limited.limit({ scope: { kind: 'key', keyId: key.id }, unit: 'usd', amount: 1, window: 'total' });
  const before = await limited.settled(limit.id);
  const entry = await entryOf(await callWithLogin());
  expect(entry).toMatchObject({ cost: 0, costSource: 'subscription', uncertainReason: null });
  const { tokens } = entry;
  const listPrice = ((tokens.input ?? 0) * 1 + (tokens.output ?? 0) * 5) / 1_000_000;
  expect(listPrice).toBeGreaterThan(0);
  expect((await limited.settled(limit.id)).counted - before.counted).toBeCloseTo(listPrice, 12);
  expect(entry.listPrice).toBeCloseTo(listPrice, 12);
  await limited.manage('PATCH', `/limits/${limit.id}`, { amount: 0.000001 });
  expect((await callWithLogin()).status).toBe(402);
  await limited.manage('DELETE', `/limits/${limit.id}`, {});
});

test('the usage summary says what subscriptions covered, and owes nothing for it', async () => {
  await limited.idle();
  interface Summary {
    readonly totalCost: number;
    readonly totalCalls: number;
    readonly covered: { readonly cost: number; readonly calls: number };
  }
  const before = await limited.service.report<Summary>('/api/mcp/usage/summary');
  await entryOf(await callWithLogin());
  const after = await limited.service.report<Summary>('/api/mcp/usage/summary');
  expect(after.totalCost).toBe(before.totalCost);
  expect(after.covered.calls).toBe(before.covered.calls + 1);
  expect(after.covered.cost).toBeGreaterThan(before.covered.cost);
});

test.each([
  ['of extra usage', { headers: { 'anthropic-ratelimit-unified-overage-in-use': 'true' } }],
  [
    'beyond the plan',
    {
      headers: {
        'anthropic-ratelimit-unified-status': 'rejected',
        'anthropic-ratelimit-unified-overage-status': 'allowed',
      },
    },
  ],
  ['in fast mode', { speed: 'fast' }],
])('a call %s has the cost that the provider bills', async (_, plan) => {
  const headers = { 'x-svc-key': key.key, authorization: `Bearer ${LOGIN}` };
  const model = 'claude-opus-4-8';
  const reply = await limited.call({ provider: 'anthropic', model, maxTokens: 64, headers, plan });
  const entry = await entryOf(reply);
  expect(entry.costSource).toBe('price');
  expect(entry.cost).toBeGreaterThan(0);
});

test.each([
  ['without a login', {}],
  ['with the wrapped key alone', 'bearer'],
  ['with a key of the API, which is billed', { authorization: 'Bearer sk-ant-api03-of-the-test' }],
  ['with a token that is not of a login', { authorization: 'Bearer SK-ANT-API03-of-the-test' }],
  ['with the login in another header', { 'x-api-key': LOGIN }],
])('a call %s is refused before it is sent', async (_, headers) => {
  const seen = limited.double.requests.length;
  const sent = headers === 'bearer' ? { authorization: `Bearer ${key.key}` } : (headers as Record<string, string>);
  const reply = await call({ authorization: '', 'x-svc-key': key.key, ...sent });
  expect(reply.status).toBe(403);
  expect(limited.double.requests.length).toBe(seen);
});

describe('Codex with a login of ChatGPT', () => {
  const ask = (fields: object, codex: string): Promise<Reply> =>
    limited.call({
      provider: 'openai',
      responses: true,
      model: 'gpt-5-mini',
      fields,
      headers: { 'x-svc-key': codex, authorization: `Bearer ${CHATGPT_LOGIN}`, 'chatgpt-account-id': 'acc_1' },
    });

  test('reaches the address of ChatGPT unchanged under a dollar limit, and is held at its maximum', async () => {
    const body = { name: 'codex', provider: 'openai', credential: 'subscription' };
    const codex = await limited.manage<TestKey>('POST', '/keys', body);
    const seen = limited.double.requests.length;
    const scope = { kind: 'key', keyId: codex.id };
    const limit = await limited.limit({ scope, unit: 'usd', amount: 5, window: 'total' });
    const reply = await ask({}, codex.key);
    expect(reply.status).toBe(200);
    expect(limited.double.requests.length).toBe(seen);
    const sent = chatgpt.requests.at(-1);
    expect(sent?.path).toBe('/v1/responses');
    expect(sent?.headers).toMatchObject({ authorization: `Bearer ${CHATGPT_LOGIN}`, 'chatgpt-account-id': 'acc_1' });
    expect(JSON.parse(sent?.body.toString() ?? '')).toEqual({ model: 'gpt-5-mini', stream: false, input: 'Hello' });
    expect(await entryOf(reply)).toMatchObject({ cost: 0, costSource: 'subscription' });
    // Its maximum cannot be lowered, so it is refused instead of shortened.
    await limited.manage('PATCH', `/limits/${limit.id}`, { amount: 0.01 });
    expect((await ask({}, codex.key)).status).toBe(402);
  });
});

test('a wrapped key with a provider key ignores what else the client sends', async () => {
  const secret = limited.keys.anthropic?.key ?? '';
  const reply = await call({ 'x-svc-key': secret, authorization: `Bearer ${LOGIN}` });
  expect(reply.status).toBe(200);
  const seen = limited.double.requests.at(-1)?.headers;
  expect(seen?.['x-api-key']).toBe('provider-key-of-anthropic');
  expect(JSON.stringify(seen)).not.toContain(LOGIN);
});

test('a call cut off by a crash costs nothing, and counts its maximum', async () => {
  const limit = await limited.limit({ scope: { kind: 'key', keyId: key.id }, unit: 'usd', amount: 1, window: 'total' });
  const before = await limited.settled(limit.id);
  const seen = limited.double.requests.length;
  const broken = limited
    .call({
      provider: 'anthropic',
      model: MODEL,
      maxTokens: 64,
      plan: { hold: 'headers' },
      headers: { 'x-svc-key': key.key, authorization: `Bearer ${LOGIN}` },
    })
    .catch(() => null);
  await eventually(
    async () => limited.double.requests.length,
    (count) => count > seen,
  );
  await limited.killAndStart();
  await broken;
  const { entries } = await eventually(
    () => limited.service.report<EntriesPage>(`/api/mcp/entries?keyId=${key.id}&limit=1`),
    (page) => page.entries[0]?.outcome === 'lost',
  );
  expect(entries[0]).toMatchObject({ cost: 0, costSource: 'subscription' });
  expect((await limited.settled(limit.id)).counted).toBeGreaterThan(before.counted);
});

test('the login is in no file and in no line that the service printed', async () => {
  await callWithLogin();
  await limited.idle();
  const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dataDir, name))
    .filter((path) => statSync(path).isFile());
  expect(files.length).toBeGreaterThan(2);
  expect(files.filter((path) => [LOGIN, CHATGPT_LOGIN].some((login) => readFileSync(path).includes(login)))).toEqual(
    [],
  );
  expect(limited.service.output()).not.toContain('canary-of-a-login');
});
