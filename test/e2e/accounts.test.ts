import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cookieOf, PASSWORD } from '../people.ts';
import { eventually, type Service, startService } from '../service.ts';

let dataDir: string;
let service: Service;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tollbook-test-'));
  service = await start();
});
afterEach(async () => {
  await service.close();
  await rm(dataDir, { recursive: true, force: true });
});

function start(env: Readonly<Record<string, string>> = {}): Promise<Service> {
  return startService({ urls: {}, dataDir, env });
}

function post(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const text = JSON.stringify(body);
  return fetch(service.baseUrl + path, {
    method: 'POST',
    body: text,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

const ADA = { name: 'Ada', email: 'ada@example.com', password: PASSWORD };

async function claim(headers: Readonly<Record<string, string>> = {}): Promise<string> {
  // Printed soon after the port is open.
  const printed = await eventually(
    () => Promise.resolve(/claim#([\w-]{43})/.exec(service.output())),
    (found) => found !== null,
  );
  const code = printed?.[1] ?? '';
  const answer = await post('/api/account/claim', { code, ...ADA }, headers);
  expect(answer.status).toBe(200);
  return cookieOf(answer);
}

async function addresses(cookie: string): Promise<(string | null)[]> {
  const answer = await fetch(`${service.baseUrl}/api/auth/list-sessions`, { headers: { cookie } });
  return ((await answer.json()) as { ipAddress: string | null }[]).map(({ ipAddress }) => ipAddress);
}

test('the link of the first start creates the owner, whose user session survives kill -9', async () => {
  const cookie = await claim();
  await service.kill();
  service = await start();
  expect(service.output()).not.toContain('claim#');
  const account = await fetch(`${service.baseUrl}/api/account`, { headers: { cookie } });
  expect(await account.json()).toMatchObject({ state: 'signed_in', workspaces: [{ role: 'owner' }] });
});

test('the client address is what the gateway saw, not what the request claims', async () => {
  const cookie = await claim({ 'x-svc-client-address': '203.0.113.1', 'x-forwarded-for': '203.0.113.2' });
  expect(await addresses(cookie)).toEqual(['127.0.0.1']);
});

test('the client address comes from a trusted proxy', async () => {
  await service.close();
  service = await start({ SVC_TRUSTED_PROXIES: '127.0.0.0/8' });
  expect(await addresses(await claim({ 'x-forwarded-for': '198.51.100.7, 203.0.113.9' }))).toEqual(['203.0.113.9']);
});

test('a user session names its workspace by a header, or by the URL if no header can be set', async () => {
  const cookie = await claim();
  const ask = (path: string, headers = {}): Promise<Response> =>
    fetch(service.baseUrl + path, { headers: { cookie, ...headers } });
  expect((await ask('/api/mcp/workspace', { 'x-svc-workspace': 'ws_default' })).status).toBe(200);
  expect((await ask('/api/mcp/workspace', { 'x-svc-workspace': 'ws_other' })).status).toBe(404);
  expect((await ask('/api/live?workspace=ws_other')).status).toBe(404);
  const live = await ask('/api/live?workspace=ws_default');
  expect([live.status, live.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  // Signing out everywhere ends what listens.
  expect((await post('/api/auth/revoke-sessions', {}, { cookie })).status).toBe(403);
  expect((await post('/api/auth/revoke-sessions', {}, { cookie, origin: service.baseUrl })).status).toBe(200);
  expect(await live.text()).toContain('event: open');
  expect((await ask('/api/mcp/workspace')).status).toBe(401);
});

test('the operator resets a password through the control socket', async () => {
  const cookie = await claim();
  const { password } = await service.command<{ password: string }>(['users', 'reset-password', ADA.email]);
  const old = await fetch(`${service.baseUrl}/api/mcp/workspace`, { headers: { cookie } });
  expect(old.status).toBe(401);
  const { email } = ADA;
  expect((await post('/api/auth/sign-in/email', { email, password: PASSWORD })).status).toBe(401);
  expect((await post('/api/auth/sign-in/email', { email, password })).status).toBe(200);
});
