import { expect, test } from 'vitest';
import { AWS_KEYS } from '../doubles/bedrock-form.ts';
import { PROVIDER_KEY } from '../service.ts';
import { serveCloud, summaryOf } from './clients.ts';

const MODEL = 'global.anthropic.claude-haiku-4-5-20251001-v1%3A0';
const [ACCESS_KEY = ['', '']] = Object.entries(AWS_KEYS);
const at = serveCloud('bedrock', (origin) => [origin, '--kind', 'bedrock', '--region', 'us-east-1']);

const claude = {
  anthropic_version: 'bedrock-2023-05-31',
  max_tokens: 64,
  messages: [{ role: 'user', content: 'What is the weather?' }],
};
const converse = { messages: [{ role: 'user', content: [{ text: 'What is the weather?' }] }] };

function post(action: string, authorization: string, body: object, more: Record<string, string> = {}) {
  const headers = { 'content-type': 'application/json', authorization, ...more };
  return fetch(`${at.base}/model/${MODEL}/${action}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

test('every call is signed with the stored access key, and costs what the provider bills', async () => {
  const key = `Bearer ${await at.service.createKey('bedrock', { providerKey: ACCESS_KEY.join(':') })}`;
  at.double.plan({ tokens: { input: 100, output: 10, cacheRead: 1_000, cacheWrite1h: 500 } });
  const tokens = [200, 300, 400].map((input) => ({ tokens: { input, output: 20 } }));
  at.double.plan(...tokens);
  expect(await (await post('invoke', key, claude)).json()).toMatchObject({ type: 'message' });
  expect(await (await post('converse', key, converse)).json()).toMatchObject({ stopReason: 'end_turn' });
  for (const [action, body] of [
    ['invoke-with-response-stream', claude],
    ['converse-stream', converse],
  ] as const) {
    const answer = await post(action, key, body);
    expect(answer.headers.get('content-type')).toBe('application/vnd.amazon.eventstream');
    expect(Buffer.from(await answer.arrayBuffer()).length).toBeGreaterThan(500);
  }
  const { totalCost } = await summaryOf(at.service, 4);
  expect(totalCost).toBeCloseTo((1_000 * 1 + 70 * 5 + 1_000 * 0.1 + 500 * 2) / 1e6, 12);
  expect(totalCost).toBeCloseTo(Number(at.double.bill.total()) / 1e9, 12);
});

test('a stream arrives byte for byte as the provider sent it', async () => {
  const key = `Bearer ${await at.service.createKey('bedrock')}`;
  const asked = { method: 'POST', body: JSON.stringify(claude), headers: { authorization: `Bearer ${PROVIDER_KEY}` } };
  const read = async (answer: Response) => Buffer.from(await answer.arrayBuffer());
  at.double.plan({ pieces: ['One', 'two'] }, { pieces: ['One', 'two'] });
  const direct = await read(await fetch(`${at.cloud.origin}/model/${MODEL}/invoke-with-response-stream`, asked));
  const proxied = await read(await post('invoke-with-response-stream', key, claude));
  // Only the id of the message differs.
  expect(proxied.length).toBe(direct.length);
  expect(proxied.subarray(0, 100)).toEqual(direct.subarray(0, 100));
  expect(at.cloud.requests.at(-1)?.headers.authorization).toBe(`Bearer ${PROVIDER_KEY}`);
});

test('a client that signs with keys of its own is known by x-svc-key, and its signature stays here', async () => {
  const key = await at.service.createKey('bedrock', { providerKey: ACCESS_KEY.join(':') });
  const own = {
    'x-svc-key': key,
    'x-amz-date': '20200101T000000Z',
    'x-amz-security-token': 'token-of-the-client',
    'x-amz-content-sha256': 'x',
  };
  const answer = await post('converse', 'AWS4-HMAC-SHA256 Credential=AKIACLIENT/1/2/3/4', converse, own);
  expect(answer.status).toBe(200);
  expect(JSON.stringify(at.cloud.requests.at(-1)?.rawHeaders)).not.toMatch(/token-of-the-client|AKIACLIENT|svc_sk_/);
});

test('a torn stream is recorded with the usage so far and an uncertain cost', async () => {
  const key = `Bearer ${await at.service.createKey('bedrock', { tags: { part: 'torn' } })}`;
  const { totalCalls } = await summaryOf(at.service, 0);
  at.double.plan({ tokens: { input: 7_000 }, endAfter: 4 });
  await (await post('invoke-with-response-stream', key, claude)).arrayBuffer();
  await summaryOf(at.service, totalCalls + 1);
  const page = await at.service.report<{ entries: Record<string, unknown>[] }>('/api/mcp/entries?limit=1');
  expect(page.entries[0]).toMatchObject({
    tags: { part: 'torn' },
    outcome: 'broken',
    uncertainReason: 'truncated',
    inputTokens: 7_000,
    cost: null,
    model: decodeURIComponent(MODEL),
  });
});

test('guardrails and tiers in headers are refused before they leave, with the type of an error of AWS', async () => {
  const key = `Bearer ${await at.service.createKey('bedrock')}`;
  const before = at.cloud.requests.length;
  const refused = await post('invoke', key, claude, { 'x-amzn-bedrock-guardrailidentifier': 'x' });
  expect([refused.status, refused.headers.get('x-amzn-errortype')]).toEqual([400, 'ValidationException']);
  await at.service.command(['limits', 'set', '--unit', 'usd', '--amount', '5', '--window', 'total']);
  const unbounded = await post('converse', key, { ...converse, guardrailConfig: { guardrailIdentifier: 'x' } });
  expect(unbounded.status).toBeGreaterThanOrEqual(400);
  expect(await unbounded.json()).toMatchObject({ message: expect.stringContaining('guardrailConfig') as string });
  expect(at.cloud.requests).toHaveLength(before);
  expect((await post('converse', key, { ...converse, inferenceConfig: { maxTokens: 64 } })).status).toBe(200);
});
