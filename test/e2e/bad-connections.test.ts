import { once } from 'node:events';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { eventually, type Service, startService } from '../service.ts';
import { BODIES, PATHS } from './bad/bad-request.ts';
import { exchange, open, readAnswer } from './bad/exchange.ts';

// Clients that connect and do no more, or not the rest: they hold nothing, and others are served meanwhile.

let double: ProviderDouble;
let service: Service;
let key: string;
let token: string;
beforeAll(async () => {
  double = await startProviderDouble();
  service = await startService({ urls: double.urls });
  key = await service.createKey('anthropic');
  token = await service.createToken(['admin']);
});
afterAll(async () => {
  await service?.close();
  await double?.close();
});

const BODY = BODIES.anthropic;
const head = (...lines: string[]) =>
  `${[`POST ${PATHS.anthropic} HTTP/1.1`, 'host: x', `x-api-key: ${key}`, ...lines].join('\r\n')}\r\n\r\n`;
const LENGTH = `content-length: ${BODY.length}`;

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${service.baseUrl}/metrics`)).text();
  return Number(new RegExp(`^(?:tollbook_)?${name} (.*)$`, 'm').exec(text)?.[1]);
}

function call(headers: Readonly<Record<string, string>> = {}, query = '', body: string = BODY): Promise<Response> {
  const url = `${service.baseUrl}${PATHS.anthropic}${query}`;
  return fetch(url, { method: 'POST', headers: { 'x-api-key': key, ...headers }, body });
}

/** Calls in the book once it has all that have ended. */
async function recordedCalls(): Promise<number> {
  await eventually(
    () => metric('journal_lag'),
    (calls) => calls === 0,
  );
  return (await service.report<{ entries: unknown[] }>('/api/mcp/entries?limit=500')).entries.length;
}

test('a refused connection is closed even if the client keeps its side open', async () => {
  const idle = await metric('process_open_fds');
  const sockets = await Promise.all(Array.from({ length: 50 }, () => open(service.baseUrl)));
  await eventually(
    () => metric('process_open_fds'),
    (files) => files >= idle + 50,
  );
  for (const socket of sockets) {
    socket.write('garbage\r\n\r\n');
    socket.resume();
  }
  await Promise.all(sockets.map((socket) => once(socket, 'end')));
  // The clients still could send; the service has let go of them. (A few connections of its own come and go.)
  await eventually(
    () => metric('process_open_fds'),
    (files) => files <= idle + 10,
  );
  for (const socket of sockets) socket.destroy();
});

const BEGINNINGS: readonly (readonly [string, () => string])[] = [
  ['nothing', () => ''],
  ['half a request line', () => 'POST /api/pro'],
  ['half the headers', () => `POST ${PATHS.anthropic} HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\n`],
  ['headers without the body', () => head(LENGTH)],
  ['half the body', () => head(LENGTH) + BODY.slice(0, 20)],
  ['half a chunk', () => `${head('transfer-encoding: chunked')}ff\r\n${BODY.slice(0, 20)}`],
  [
    'a body for the API that never comes',
    () => `POST /api/manage/keys HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n${LENGTH}\r\n\r\n`,
  ],
];

test.each(BEGINNINGS)(
  'clients that disconnect after sending %s hold nothing, and others are served',
  async (_, bytes) => {
    const sockets = await Promise.all(Array.from({ length: 100 }, () => open(service.baseUrl)));
    for (const socket of sockets) socket.write(bytes());
    const seen = double.requests.length;
    expect((await call()).status).toBe(200);
    expect((await fetch(`${service.baseUrl}/readyz`)).status).toBe(200);
    expect(double.requests.length).toBe(seen + 1);
    expect(await metric('in_flight')).toBe(0);
    for (const socket of sockets) socket.destroy();
    await eventually(
      () => metric('body_bytes'),
      (bytesHeld) => bytesHeld === 0,
    );
    expect(double.requests.length).toBe(seen + 1);
  },
);

test('an endless body is refused at its limit', async () => {
  const socket = await open(service.baseUrl);
  const answer = readAnswer(socket, true);
  socket.write(head('transfer-encoding: chunked'));
  const piece = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(1_048_576, ' '), Buffer.from('\r\n')]);
  const refused = answer.then(() => true);
  const drained = async () => void (await once(socket, 'drain'));
  while (socket.write(piece) || !(await Promise.race([refused, drained()])));
  expect((await answer).status).toBe(413);
  socket.destroy();
  await eventually(
    () => metric('body_bytes'),
    (held) => held === 0,
  );
});

test('a client that disconnects while its body is decoded holds nothing', async () => {
  const seen = double.requests.length;
  const bytes = gzipSync(Buffer.from(`{"model":"m","x":"${'x'.repeat(20_000_000)}"}`));
  for (const path of [PATHS.anthropic, '/api/proxy/anthropic/v1/messages/count_tokens']) {
    const socket: Socket = await open(service.baseUrl);
    const lines = [`POST ${path} HTTP/1.1`, 'host: x', `x-api-key: ${key}`, 'content-encoding: gzip'];
    socket.write(`${lines.join('\r\n')}\r\ncontent-length: ${bytes.length}\r\n\r\n`);
    socket.write(bytes, () => socket.destroy());
    await once(socket, 'close');
  }
  await eventually(
    () => metric('body_bytes'),
    (held) => held === 0,
  );
  expect(await metric('in_flight')).toBe(0);
  expect(double.requests.slice(seen).length).toBe(0);
});

test('garbage after a good request breaks only its own connection, and the call is recorded', async () => {
  const before = await recordedCalls();
  const seen = double.requests.length;
  await exchange(service.baseUrl, Buffer.from(`${head(LENGTH)}${BODY}garbage\r\n\r\n`));
  await eventually(
    () => metric('in_flight'),
    (calls) => calls === 0,
  );
  expect((await call()).status).toBe(200);
  // A call that never left may be in the book too, as one that was not sent.
  expect(await recordedCalls()).toBeGreaterThanOrEqual(before + double.requests.length - seen);
});

test('two requests on one connection are two calls', async () => {
  const seen = double.requests.length;
  const last = head(LENGTH, 'connection: close') + BODY;
  const { text } = await exchange(service.baseUrl, Buffer.from(head(LENGTH) + BODY + last));
  expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  expect(double.requests.length).toBe(seen + 2);
});

test("Tollbook's secrets anywhere in a good request reach no provider", async () => {
  const seen = double.requests.length;
  const secret = token;
  const hidden: [Record<string, string>, string][] = [
    [{ 'x-other': secret }, ''],
    [{ cookie: `a=${secret}` }, ''],
    [{ referer: `http://x/?key=${secret}` }, ''],
    [{ 'anthropic-beta': `a,${secret}` }, ''],
    [{ 'user-agent': secret }, ''],
    [{ 'proxy-authorization': `Bearer ${secret}` }, ''],
    [{ 'x-svc-tags': 'team=a', 'x-forwarded-for': secret }, ''],
    [{}, `?key=${key}`],
    [{}, `?KEY=${key}&beta=true`],
    [{}, `?x=1=${secret}`],
    [{}, `?x=${secret.replace('_', '%5F')}`],
    [{}, `?${secret}`],
    [{}, `?%73vc_sk_x=1&a=${encodeURIComponent(`"${secret}"`)}`],
    [{}, `?a=1;key=${secret}`],
    [{}, `?a[]=1&a[]=${secret}`],
  ];
  for (const [headers, query] of hidden) expect((await call(headers, query)).status, query).toBe(200);
  const lines = head(LENGTH, 'connection: close', `x-twice: ${secret}`, `x-twice: b`, `${secret}: x`);
  expect((await exchange(service.baseUrl, Buffer.from(lines + BODY))).status).toBe(200);
  const reached = double.requests.slice(seen);
  expect(reached).toHaveLength(hidden.length + 1);
  for (const { path, rawHeaders, body } of reached)
    expect(`${path} ${rawHeaders.join(' ')} ${body.toString()}`).not.toMatch(/svc_sk_|%5fsk|%73vc/i);
});

test('numbers that only the provider checks reach it, and no call is lost over them', async () => {
  const before = await recordedCalls();
  const numbers = [
    '-1',
    '0',
    '1.5',
    '1e308',
    '1e999',
    '9007199254740991',
    '9007199254740993',
    '"16"',
    'null',
    '[]',
    'true',
  ];
  for (const number of numbers) expect((await call({}, '', BODY.replace('16', number))).status, number).toBe(200);
  expect(await recordedCalls()).toBe(before + numbers.length);
  const openai = await service.createKey('openai');
  const url = `${service.baseUrl}${PATHS.openai}`;
  const body = '{"model":"gpt-4o-mini","n":10000,"max_tokens":9007199254740991,"messages":[]}';
  expect((await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${openai}` }, body })).status).toBe(200);
  expect(await recordedCalls()).toBe(before + numbers.length + 1);
});

test('an impossible usage makes one call uncertain and breaks no usage query', async () => {
  const before = await recordedCalls();
  const counts = [9_007_199_254_740_991, 10 ** 15, 1e30, -5, 1.5];
  for (const input of counts)
    expect((await call({ 'x-double': JSON.stringify({ tokens: { input } }) })).status, String(input)).toBe(200);
  expect(await recordedCalls()).toBe(before + counts.length);
  const query = `limit=${counts.length}`;
  const { entries } = await service.report<{ entries: { uncertainReason: string }[] }>(`/api/mcp/entries?${query}`);
  expect(entries.map(({ uncertainReason }) => uncertainReason)).toEqual(counts.map(() => 'no_usage'));
  const { totalCalls } = await service.report<{ totalCalls: number }>('/api/mcp/usage/summary');
  expect(totalCalls).toBeGreaterThan(counts.length);
});

test('none of this was an error of the service', () => {
  expect(service.output()).not.toMatch(/"level":[56]0/);
});
