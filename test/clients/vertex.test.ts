import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { GoogleGenAI } from '@google/genai';
import { expect, test } from 'vitest';
import { PROVIDER_KEY } from '../service.ts';
import { expectOnlyProviderKeys, serveCloud, summaryOf } from './clients.ts';

const PLACE = '/v1/projects/project-1/locations/global';
const at = serveCloud('vertex', (origin) => [`${origin}${PLACE}`, '--kind', 'vertex']);

const CLAUDE = `${PLACE}/publishers/anthropic/models`;
const messages = [{ role: 'user' as const, content: 'What is the weather?' }];
const asked = { anthropic_version: 'vertex-2023-10-16', max_tokens: 64, messages };

function post(path: string, key: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'x-svc-key': key };
  return fetch(at.base + path, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function costOf(calls: () => Promise<unknown>, count: number): Promise<number> {
  const { totalCalls, totalCost } = await summaryOf(at.service, 0);
  await calls();
  return (await summaryOf(at.service, totalCalls + count)).totalCost - totalCost;
}

test('Claude on Vertex AI costs what the provider bills, whole and as a stream', async () => {
  const key = await at.service.createKey('vertex');
  at.double.plan({ tokens: { input: 100, output: 10 } }, { tokens: { input: 200, output: 20 } });
  const cost = await costOf(async () => {
    const whole = await post(`${CLAUDE}/claude-haiku-4-5@20251001:rawPredict`, key, asked);
    expect(await whole.json()).toMatchObject({ type: 'message' });
    const path = `/v1beta1${CLAUDE.slice('/v1'.length)}/claude-haiku-4-5@20251001:streamRawPredict`;
    const stream = await post(path, key, { ...asked, stream: true });
    expect(await stream.text()).toContain('message_stop');
  }, 2);
  expect(cost).toBeCloseTo((300 * 1 + 30 * 5) / 1e6, 12);
  expect(cost).toBeCloseTo(Number(at.double.bill.total(PROVIDER_KEY)) / 1e9, 12);
  expect(at.cloud.requests.at(-1)).toMatchObject({
    path: `/v1beta1${CLAUDE.slice('/v1'.length)}/claude-haiku-4-5@20251001:streamRawPredict`,
    headers: { authorization: `Bearer ${PROVIDER_KEY}` },
  });
});

test('the cost of a stream of Claude is in its last event, if the client asks for it', async () => {
  const key = await at.service.createKey('vertex');
  const answer = await fetch(`${at.base}${CLAUDE}/claude-haiku-4-5:streamRawPredict`, {
    method: 'POST',
    headers: { 'x-svc-key': key, 'x-svc-cost': 'include' },
    body: JSON.stringify({ ...asked, stream: true }),
  });
  expect(await answer.text()).toContain('0.00011');
  await summaryOf(at.service, 3);
});

test("Google's library reaches Gemini on Vertex AI with a wrapped key", async () => {
  const apiKey = await at.service.createKey('vertex');
  const client = new GoogleGenAI({ vertexai: true, apiKey, httpOptions: { baseUrl: at.base } });
  at.double.plan(
    { tokens: { input: 100, output: 10 } },
    { tokens: { input: 200, output: 20 } },
    { tokens: { input: 5 } },
  );
  const model = 'gemini-2.5-flash';
  const cost = await costOf(async () => {
    await client.models.generateContent({ model, contents: 'Hello' });
    let text = '';
    for await (const chunk of await client.models.generateContentStream({ model, contents: 'Hello' }))
      text += chunk.text ?? '';
    expect(text).not.toBe('');
  }, 2);
  expect(cost).toBeCloseTo((300 * 0.3 + 30 * 2.5) / 1e6, 12);
  expect(await client.models.countTokens({ model, contents: 'Hello' })).toMatchObject({ totalTokens: 5 });
  expect(at.cloud.requests.at(-1)?.path).toMatch(
    /\/projects\/project-1\/locations\/global\/publishers\/google\/models\//,
  );
});

test('the key of a service account signs a token for each hour, and never leaves', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const account = {
    type: 'service_account',
    client_email: 'gateway@project-1.iam.gserviceaccount.com',
    private_key_id: 'key-1',
    private_key: pem,
    token_uri: 'http://127.0.0.1:1/token',
  };
  const key = await at.service.createKey('vertex', { providerKey: JSON.stringify(account, null, 2) });
  for (let call = 0; call < 2; call++)
    expect((await post(`${CLAUDE}/claude-haiku-4-5:rawPredict`, key, asked)).status).toBe(200);
  const [one, two] = at.cloud.requests.slice(-2).map(({ headers }) => headers.authorization);
  expect(one).toBe(two);
  const [header = '', claims = '', signature = ''] = (one ?? '').replace('Bearer ', '').split('.');
  const signed = Buffer.from(`${header}.${claims}`);
  const verifier = createPublicKey(publicKey.export({ type: 'spki', format: 'pem' }));
  expect(verify('RSA-SHA256', signed, verifier, Buffer.from(signature, 'base64url'))).toBe(true);
  const said = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { exp: number; iat: number; iss: string };
  expect(said).toMatchObject({ iss: account.client_email, scope: 'https://www.googleapis.com/auth/cloud-platform' });
  expect(said.exp - said.iat).toBe(3_600);
  expect(JSON.stringify(at.cloud.requests.map(({ rawHeaders }) => rawHeaders))).not.toContain('PRIVATE KEY');
  expect(at.service.output()).not.toContain('PRIVATE KEY');
});

test('another project, tier headers and unknown methods are refused before they leave', async () => {
  const key = await at.service.createKey('vertex');
  const before = at.cloud.requests.length;
  const other = '/v1/projects/other/locations/global/publishers/anthropic/models/claude-haiku-4-5:rawPredict';
  const refused = await post(other, key, asked);
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining('"project-1"') as string } });
  expect((await post(`${CLAUDE}/claude-haiku-4-5:predict`, key, asked)).status).toBe(404);
  const priority = await fetch(`${at.base}${CLAUDE}/claude-haiku-4-5:rawPredict`, {
    method: 'POST',
    headers: { 'x-svc-key': key, 'x-vertex-ai-llm-shared-request-type': 'priority' },
    body: JSON.stringify(asked),
  });
  expect(priority.status).toBe(400);
  expect(at.cloud.requests).toHaveLength(before);
});

test('under a limit in dollars a call is held at its maximum, and one without a price is refused', async () => {
  const key = await at.service.createKey('vertex');
  await at.service.command(['limits', 'set', '--unit', 'usd', '--amount', '5', '--window', 'total']);
  expect((await post(`${CLAUDE}/claude-haiku-4-5:rawPredict`, key, asked)).status).toBe(200);
  const before = at.cloud.requests.length;
  const unpriced = await post(`${CLAUDE}/claude-unheard-of:rawPredict`, key, asked);
  expect(unpriced.status).toBe(402);
  expect(await unpriced.text()).toMatch(/claude-unheard-of.*price/);
  expect(at.cloud.requests).toHaveLength(before);
});

test('only provider keys reach the provider', () => {
  const own = at.cloud.requests.filter(({ headers }) => headers.authorization === `Bearer ${PROVIDER_KEY}`);
  expectOnlyProviderKeys(own);
});
