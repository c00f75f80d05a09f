import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { request } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildProviders } from '../src/providers/providers.ts';
import { TEST_GATEWAY_SECRET, startTestGateway } from './gateway.ts';

// The proxy shares its origin with the dashboard: nothing that a provider sends may act there.

const NO_PAGE = { 'x-content-type-options': 'nosniff', 'content-security-policy': "sandbox; default-src 'none'" };

let answer: RequestListener;
let provider: ReturnType<typeof createServer>;
let opened: Awaited<ReturnType<typeof startTestGateway>>;
beforeEach(async () => {
  provider = createServer((req, res) => {
    req.resume();
    answer(req, res);
  }).listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const openai = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`;
  opened = await startTestGateway(buildProviders({ urls: { openai }, custom: [] }), { provider: 'openai' });
});
afterEach(async () => {
  await opened.gateway.close(0);
  provider.close();
  provider.closeAllConnections();
});

const CHAT = '/api/proxy/openai/v1/chat/completions';
const MODELS = '/api/proxy/openai/v1/models';
const KEY = { authorization: `Bearer ${TEST_GATEWAY_SECRET}` };
const BODY = JSON.stringify({ model: 'gpt-5.4-mini', messages: [{ role: 'user', content: 'Hello' }] });
const STREAM = JSON.stringify({ ...(JSON.parse(BODY) as object), stream: true });

const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(opened.url + path, { headers: KEY, redirect: 'manual', ...init });
const post = (body: string, headers: Record<string, string> = KEY): Promise<Response> =>
  ask(CHAT, { method: 'POST', body, headers });

/** What a hostile provider would say to become a page, or to govern the origin. */
const HOSTILE = {
  'content-type': 'text/html',
  'content-security-policy': 'default-src *',
  'x-content-type-options': 'sniff',
  'set-cookie': 'tollbook=stolen',
  'clear-site-data': '"cookies"',
  'service-worker-allowed': '/',
  location: 'https://evil.example/',
  refresh: '0;url=https://evil.example/',
  link: '<https://evil.example/x.css>; rel=stylesheet',
  nel: '{"report_to":"evil"}',
  'report-to': '{"group":"evil"}',
  'reporting-endpoints': 'default="https://evil.example/"',
  'www-authenticate': 'Basic realm="Tollbook"',
  'strict-transport-security': 'max-age=31536000',
  'x-ratelimit-remaining-requests': '7',
};

test.each<[string, () => Promise<Response>]>([
  ['of a call', () => post(BODY)],
  ['of a stream', () => post(STREAM)],
  ['that costs nothing', () => ask(MODELS)],
])('an answer %s is no page, and governs nothing of the origin', async (_, run) => {
  answer = (_req, res) => void res.writeHead(200, HOSTILE).end('<script>alert(1)</script>');
  const got = await run();
  expect(got.status).toBe(200);
  const headers = Object.fromEntries(got.headers);
  expect(headers).toMatchObject({ ...NO_PAGE, 'x-ratelimit-remaining-requests': '7', 'content-type': 'text/html' });
  const passed = Object.entries(HOSTILE).filter(([name, value]) => headers[name] === value);
  expect(passed.map(([name]) => name)).toEqual(['content-type', 'x-ratelimit-remaining-requests']);
});

test("a provider's redirect never sends a client or its wrapped key elsewhere", async () => {
  answer = (_req, res) => void res.writeHead(307, { location: 'https://evil.example/' }).end();
  for (const got of [await post(BODY), await ask(MODELS)]) {
    expect([got.status, got.headers.get('location')]).toEqual([307, null]);
    expect(got.headers.get('x-svc-warning')).toMatch(/redirect was left out/);
    expect(Object.fromEntries(got.headers)).toMatchObject(NO_PAGE);
  }
});

test.each<[string, number, () => Promise<Response>]>([
  ['the provider’s error', 500, () => post(BODY)],
  ['a wrong key', 401, () => post(BODY, { authorization: 'Bearer svc_sk_nobody' })],
  ['no route', 404, () => ask('/api/proxy/openai/v1/nothing')],
  ['no provider', 404, () => ask('/api/proxy/nobody/v1/models')],
  ['a body that is no JSON', 400, () => post('{')],
  ['what a key has left', 200, () => ask('/api/proxy/limits')],
  ['a probe', 200, () => ask('/api/proxy/openai', { method: 'HEAD', headers: {} })],
])('%s is no page either', async (_, status, run) => {
  answer = (_req, res) => void res.writeHead(500, { 'content-type': 'text/html' }).end('<script>alert(1)</script>');
  const got = await run();
  expect(got.status).toBe(status);
  expect(Object.fromEntries(got.headers)).toMatchObject(NO_PAGE);
});

test('a malformed request gets no page as its answer', async () => {
  const socket = connect(Number(new URL(opened.url).port), '127.0.0.1');
  socket.write('POST /api/proxy/openai HTTP/1.1\r\nhost: x\r\ncontent-length: x\r\n\r\n');
  const got = (await text(socket)).toLowerCase();
  for (const [name, value] of Object.entries(NO_PAGE)) expect(got).toContain(`${name}: ${value}\r\n`);
});

test.each(['document', 'iframe', 'frame', 'embed', 'object', 'script', 'style', 'image', 'worker', 'serviceworker'])(
  'a browser that wants a %s from the proxy is refused before anything is sent, in words',
  async (use) => {
    let reached = 0;
    answer = (_req, res) => void res.end(String((reached += 1)));
    const got = await ask(`${MODELS}?key=${TEST_GATEWAY_SECRET}`, { headers: { 'sec-fetch-dest': use } });
    expect(got.status).toBe(403);
    expect(await got.text()).toMatch(/as a page or as a part of one.*client library, or with fetch/);
    expect(reached).toBe(0);
  },
);

test('a browser navigation to the proxy is refused', async () => {
  // Node's own fetch would set this header itself.
  const headers = { ...KEY, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'empty' };
  const { statusCode, body } = await request(opened.url + MODELS, { headers });
  await body.dump();
  expect(statusCode).toBe(403);
});

test('browser scripts and programs can call the proxy', async () => {
  answer = (_req, res) => void res.writeHead(200, { 'access-control-allow-origin': '*' }).end('{}');
  for (const mode of ['cors', 'same-origin', 'no-cors']) {
    const asked = { ...KEY, 'sec-fetch-dest': 'empty', 'sec-fetch-mode': mode };
    const { statusCode, headers, body } = await request(opened.url + MODELS, { headers: asked });
    await body.dump();
    expect([statusCode, headers['access-control-allow-origin']]).toEqual([200, '*']);
  }
});
