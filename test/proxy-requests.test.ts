import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildProviders } from '../src/providers/providers.ts';
import { TEST_GATEWAY_SECRET, startTestGateway } from './gateway.ts';

// The gateway bounds a request as JSON of a known shape: the provider must read it as nothing else.

let reached: Pick<IncomingMessage, 'method' | 'url' | 'headers'> | null;
let provider: ReturnType<typeof createServer>;
let opened: Awaited<ReturnType<typeof startTestGateway>>;
beforeEach(async () => {
  reached = null;
  provider = createServer((req, res) => {
    reached = { method: req.method, url: req.url, headers: req.headers };
    req.resume();
    res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const google = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  opened = await startTestGateway(buildProviders({ urls: { google }, custom: [] }), { provider: 'google' });
});
afterEach(async () => {
  await opened.gateway.close(0);
  provider.close();
  provider.closeAllConnections();
});

const MODEL = '/v1beta/models/gemini-2.5-flash';
const BODY = '{"contents":[{"parts":[{"text":"Hello"}]}]}';
const post = (path: string, headers: Record<string, string>): Promise<Response> =>
  fetch(`${opened.url}/api/proxy/google${path}`, {
    method: 'POST',
    body: BODY,
    headers: { 'x-goog-api-key': TEST_GATEWAY_SECRET, ...headers },
  });

test.each([
  'application/x-protobuf',
  'application/json+protobuf',
  'application/json; charset=utf-7',
  'multipart/form-data; boundary=a',
  '',
])('a provider is sent JSON, whatever content type the client sends: %j', async (type) => {
  for (const action of ['generateContent', 'countTokens']) {
    expect((await post(`${MODEL}:${action}`, { 'content-type': type })).status).toBe(200);
    expect(reached?.headers['content-type']).toBe('application/json');
  }
});

test("a client can't make a provider read another request or omit the usage", async () => {
  const query = '?$alt=proto&%24httpHeaders=X-HTTP-Method-Override%3APUT&fields=candidates&alt=json';
  const res = await post(`${MODEL}:generateContent${query}`, {
    'x-http-method-override': 'PUT',
    'x-goog-fieldmask': 'candidates',
    'x-goog-api-client': 'genai-js/1',
  });
  expect(res.status).toBe(200);
  expect(reached?.method).toBe('POST');
  expect(reached?.url).toBe(`${MODEL}:generateContent?alt=json`);
  expect(reached?.headers).toMatchObject({ 'x-goog-api-client': 'genai-js/1' });
  expect(Object.keys(reached?.headers ?? {})).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/override|fieldmask/)]),
  );
  expect(res.headers.get('x-svc-warning')).toContain('known parameters of Google: $alt, %24httpHeaders, fields');
});
