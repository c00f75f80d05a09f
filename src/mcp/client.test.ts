import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { stdioAdvice } from './advice.ts';
import { ApiClient } from './client.ts';

const open: { close(): void }[] = [];
afterEach(() => open.splice(0).forEach((server) => server.close()));

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push({ close: () => (server.closeAllConnections(), server.close()) });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function clientOf(url: string, apiKey: string | null = 'svc_sk_test'): ApiClient {
  return new ApiClient({ url, apiKey, send: fetch, advice: stdioAdvice, answerMsMax: 200 });
}

async function failure(client: ApiClient, signal = new AbortController().signal): Promise<string> {
  const asked = client.call('GET /api/mcp/workspace', { signal });
  return asked.then(
    () => 'it was answered',
    (error: unknown) => (error as Error).message,
  );
}

test('without a token a tool says how to create one and that local tools work, and calls no service', async () => {
  const message = await failure(clientOf('http://127.0.0.1:9', null));
  expect(message).toContain('tollbook tokens create');
  expect(message).toContain('SVC_API_KEY');
  expect(message).toContain('svc_get_local_claude_code_usage');
});

test('without a service the error has the URL and the reason', async () => {
  const url = await listen(() => undefined);
  open.splice(0).forEach((server) => server.close());
  const message = await failure(clientOf(url));
  expect(message).toContain(`${url} (ECONNREFUSED)`);
  expect(message).toContain('tollbook serve');
  expect(message).toContain('SVC_API_URL');
});

test('a service that does not answer is given up after a while', async () => {
  expect(await failure(clientOf(await listen(() => undefined)))).toContain('no answer within 0.2 s');
});

test.each([
  [200, 'text/html', '<html>', 'is not this version of Tollbook'],
  [502, 'text/html', '<html>', 'is not Tollbook (status 502)'],
  [200, 'application/json', '{"id":1}', 'is not this version of Tollbook'],
  [500, 'application/json', '{"error":"Something broke.","type":"internal"}', 'The service failed: Something broke.'],
  [401, 'application/json', '{"error":"Unknown.","type":"unknown_secret"}', 'The access token was rejected.'],
  [403, 'application/json', '{"error":"Wrapped.","type":"wrong_secret"}', 'works only for the proxy'],
  [403, 'application/json', '{"error":"No scope \\"usage:read\\".","type":"missing_scope"}', 'usage:read". Create one'],
  [400, 'application/json', '{"error":"limit is 7.","type":"invalid"}', 'limit is 7.'],
])('a response of status %i as %s (%s) is explained in words', async (status, type, body, sentence) => {
  const url = await listen((_, answer) => void answer.writeHead(status, { 'content-type': type }).end(body));
  expect(await failure(clientOf(url))).toContain(sentence);
});

test('another token can be used for one request, and only known fields of a response are kept', async () => {
  const seen: (string | undefined)[] = [];
  const url = await listen((request, answer) => {
    seen.push(request.headers.authorization, request.url);
    answer.end('[{"tag":"t","value":"v","cost":1,"calls":2,"percentage":100,"other":3}]');
  });
  const { signal } = new AbortController();
  const query = { tagKey: 'a b', startDate: undefined };
  const data = await clientOf(url).call('GET /api/mcp/usage/by-tag', { query, signal, apiKey: 'other' });
  expect(data).toEqual([{ tag: 't', value: 'v', cost: 1, calls: 2, percentage: 100 }]);
  expect(seen).toEqual(['Bearer other', '/api/mcp/usage/by-tag?tagKey=a+b']);
});

test('a call cancelled by the host ends as cancelled', async () => {
  const url = await listen(() => undefined);
  expect(await failure(clientOf(url), AbortSignal.abort(new Error('The host cancelled.')))).toBe('The host cancelled.');
});
