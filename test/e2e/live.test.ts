import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { eventually, type Service, startService } from '../service.ts';
import { BODIES, PATHS } from './bad/bad-request.ts';

let double: ProviderDouble;
let service: Service;
let token: string;

beforeAll(async () => {
  double = await startProviderDouble();
  service = await startService({ urls: double.urls });
  token = await service.createToken(['usage:read', 'alerts:read']);
});
afterAll(async () => {
  await service.close();
  await double.close();
});

/** A stream over a socket of its own, through the gate, with what came so far as it came. */
async function listen(): Promise<{ readonly socket: Socket; text(): string; has(wanted: string): Promise<string> }> {
  const { port } = new URL(service.baseUrl);
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  let text = '';
  socket.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  socket.write(`GET /api/live HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n\r\n`);
  const has = (wanted: string): Promise<string> =>
    eventually(
      () => Promise.resolve(text),
      (come) => come.includes(wanted),
    );
  await has('event: open');
  return { socket, text: () => text, has };
}

async function call(key: string): Promise<string> {
  const answer = await fetch(service.baseUrl + PATHS.anthropic, {
    method: 'POST',
    headers: { 'x-api-key': key },
    body: BODIES.anthropic,
  });
  await answer.text();
  return answer.headers.get('x-svc-call-id') ?? '';
}

test('a live event is sent as soon as a call is in the ledger', async () => {
  const key = await service.createKey('anthropic');
  const stream = await listen();
  expect(stream.text()).toContain('content-type: text/event-stream');
  expect(stream.text()).toContain('cache-control: no-store');
  const id = await call(key);
  await stream.has(`"${id}"`);
  const entry = await service.report<{ id: string }>(`/api/mcp/entries/${id}`);
  expect(entry.id).toBe(id);
  stream.socket.destroy();
});

test('a new limit and its alert send live events', async () => {
  const key = await service.createKey('anthropic');
  const stream = await listen();
  const { id } = await service.command<{ id: string }>([
    'limits',
    'set',
    '--unit',
    'calls',
    '--amount',
    '1',
    '--window',
    'total',
    '--warn',
  ]);
  await stream.has(`event: limit\ndata: {"id":"${id}"}`);
  await call(key);
  expect(await stream.has('event: alert')).toContain('"change":"raised"');
  stream.socket.destroy();
});

test('a live stream needs an access token', async () => {
  const answer = await fetch(`${service.baseUrl}/api/live`);
  expect(answer.status).toBe(401);
});

test("a disconnected client frees its place: closed streams don't count", async () => {
  // More than one token may have at a time.
  for (let turn = 0; turn < 30; turn += 1) {
    const { socket, text } = await listen();
    expect(text()).toContain('200 OK');
    socket.destroy();
  }
});

test('a closing service ends its streams gracefully', async () => {
  const stream = await listen();
  const ended = once(stream.socket, 'end');
  await service.close();
  await ended;
  expect(stream.text().endsWith('0\r\n\r\n')).toBe(true);
});
