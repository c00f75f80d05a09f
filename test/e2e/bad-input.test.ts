import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { eventually, PROVIDER_KEY, type Service, startService } from '../service.ts';
import { type BadRequest, BODIES, PATHS, render, type Secrets, type Shape } from './bad/bad-request.ts';
import { ENCODINGS, BAD_BODIES } from './bad/bodies.ts';
import { exchange, type RawAnswer } from './bad/exchange.ts';
import { DOORS, KEYS } from './bad/keys.ts';
import { MANAGEMENT, REPORTS } from './bad/management.ts';
import { BAD_PATHS } from './bad/paths.ts';
import { WIRE } from './bad/wire.ts';

// Whatever is sent, the service answers with a sentence in the right shape, stays alive, and lets nothing through.

let double: ProviderDouble;
let service: Service;
let secrets: Secrets;
/** Calls that went through, each of which is in the book. */
let goodCalls = 0;
let seenBefore = 0;
beforeAll(async () => {
  double = await startProviderDouble();
  service = await startService({ urls: double.urls, env: { SVC_TOKEN_REQUESTS_PER_MINUTE: '100000' } });
  secrets = await makeSecrets();
  seenBefore = double.requests.length;
});
afterAll(async () => {
  await service?.close();
  await double?.close();
});

const GROUPS: Readonly<Record<string, readonly BadRequest[]>> = {
  'keys on the proxy': KEYS,
  'doors of the API': DOORS,
  bodies: BAD_BODIES,
  'encodings and sizes': ENCODINGS,
  'paths and methods': BAD_PATHS,
  'bytes on the wire': WIRE,
  'bodies of management': MANAGEMENT,
  'parameters of reports': REPORTS,
};

describe.each(Object.entries(GROUPS))('%s', (_group, requests) => {
  test.each(requests)('$name is refused', async (bad) => {
    const answer = await exchange(service.baseUrl, render(bad, secrets), bad.halfClose);
    expect(answer.status, answer.text.slice(0, 600)).toBe(bad.status);
    const sentence = sentenceIn(answer, bad.shape);
    if (bad.shape !== 'empty') expect(sentence).toMatch(bad.says ?? /.{12}/);
    expect(answer.text).not.toMatch(/svc_sk_\w{6}|\n\s+at |node:|\.ts:\d/);
    for (const secret of [...Object.values(secrets), PROVIDER_KEY]) expect(answer.text).not.toContain(secret);
  });

  test('after all bad input the service is healthy, and nothing was sent or recorded', async () => {
    expect(double.requests.slice(seenBefore).map(({ method, path }) => `${method} ${path}`)).toEqual([]);
    expect((await fetch(`${service.baseUrl}/readyz`)).status).toBe(200);
    await callWell();
    expect(await readLedger()).toHaveLength(goodCalls);
    const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text();
    expect(metrics).toMatch(/^tollbook_in_flight 0$/m);
    expect(metrics).toMatch(/^tollbook_body_bytes 0$/m);
    expect(service.output()).not.toMatch(/"level":(40|50|60)|svc_sk_\w{6}/);
  });
});

/** The sentence for people in an error of that shape. */
function sentenceIn({ status, body, head }: RawAnswer, shape: Shape): string {
  if (shape === 'empty') {
    expect(body).toBe('');
    return '';
  }
  expect(head).toMatch(/^content-type: application\/json/im);
  const error = JSON.parse(body) as Record<string, unknown>;
  const text: unknown = expect.stringMatching(/^.{12,}$/s);
  expect(error).toEqual(
    {
      anthropic: { type: 'error', error: { type: expect.any(String), message: text }, request_id: expect.any(String) },
      google: { error: { code: status, message: text, status: expect.stringMatching(/^[A-Z_]+$/) } },
      openai: {
        error: {
          message: text,
          type: expect.any(String),
          param: expect.toBeOneOf([expect.any(String), null]),
          code: expect.toBeOneOf([expect.any(String), null]),
        },
      },
      own: {
        error: text,
        type: expect.any(String),
        requestId: expect.any(String),
        ...('param' in error && { param: expect.any(String) }),
      },
      bare: { error: text, type: 'invalid' },
    }[shape],
  );
  return typeof error['error'] === 'string' ? error['error'] : (error['error'] as { message: string }).message;
}

/** A good call, which is the only one that may be in the book afterwards. */
async function callWell(): Promise<void> {
  const answer = await fetch(`${service.baseUrl}${PATHS.anthropic}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secrets.anthropic}` },
    body: BODIES.anthropic,
  });
  expect(answer.status).toBe(200);
  goodCalls += 1;
  seenBefore = double.requests.length;
}

function readLedger(): Promise<unknown[]> {
  const ask = async () => (await service.report<{ entries: unknown[] }>('/api/mcp/entries?limit=500')).entries;
  return eventually(ask, (entries) => entries.length >= goodCalls);
}

async function makeSecrets(): Promise<Secrets> {
  const admin = await service.createToken(['admin']);
  const manage = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' };
    const answer = await fetch(`${service.baseUrl}/api/manage${path}`, {
      method,
      headers,
      body: JSON.stringify(body) ?? null,
    });
    expect(answer.ok, await answer.clone().text()).toBe(true);
    return (await answer.json()) as T;
  };
  const key = (name: string, provider = 'anthropic', expiresAt: string | null = null) =>
    manage<{ id: string; key: string }>('POST', '/keys', { name, provider, providerKey: PROVIDER_KEY, expiresAt });
  const token = (name: string, scopes: string[]) => manage<{ token: string }>('POST', '/tokens', { name, scopes });
  const expiring = await key('expired', 'anthropic', new Date(Date.now() + 4_000).toISOString());
  const revoked = await key('revoked');
  await manage('DELETE', `/keys/${revoked.id}`);
  const made = {
    admin,
    anthropic: (await key('anthropic')).key,
    anthropicOther: (await key('other')).key,
    google: (await key('google', 'google')).key,
    openai: (await key('openai', 'openai')).key,
    revoked: revoked.key,
    expired: expiring.key,
    token: (await token('default', [])).token,
    reader: (await token('reader', ['usage:read'])).token,
  };
  const models = `${service.baseUrl}/api/proxy/anthropic/v1/models`;
  await eventually(
    async () => (await fetch(models, { headers: { 'x-api-key': made.expired } })).status,
    (status) => status === 401,
  );
  return made;
}
