import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { LIMITS } from '../src/config.ts';
import { buildProviders } from '../src/providers/providers.ts';
import { type ProviderDouble, startProviderDouble } from './doubles/provider-double.ts';
import type { Plan } from './doubles/plan.ts';
import { startTestGateway, TEST_GATEWAY_SECRET } from './gateway.ts';
import { eventually } from './service.ts';

// The ends, maxima and refusals of WebSockets, with a clock that the test sets.

let double: ProviderDouble;
let opened: Awaited<ReturnType<typeof startTestGateway>>;
beforeEach(async () => {
  double = await startProviderDouble();
  opened = await startTestGateway(buildProviders({ urls: double.urls, custom: [] }), { provider: 'openai' });
});
afterEach(async () => {
  await opened.gateway.close(0);
  await double.close();
});

interface Message {
  readonly type: string;
  readonly status?: number;
  readonly error?: { readonly message: string };
}

/** A request for a socket. */
function ask(headers: Readonly<Record<string, string>> = {}, path = '/v1/responses'): WebSocket {
  const socket = new WebSocket(`${opened.url.replace('http', 'ws')}/api/proxy/openai${path}`, {
    headers: { authorization: `Bearer ${TEST_GATEWAY_SECRET}`, ...headers },
  });
  socket.on('error', () => {});
  return socket;
}

async function openSocket(): Promise<{ socket: WebSocket; messages: Message[] }> {
  const socket = ask();
  const messages: Message[] = [];
  socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString()) as Message));
  await once(socket, 'open');
  return { socket, messages };
}

function create(socket: WebSocket, plan: Plan = {}): void {
  const metadata = { plan: JSON.stringify(plan) };
  const call = { model: 'gpt-5-mini', input: 'Hi', max_output_tokens: 100, metadata };
  socket.send(JSON.stringify({ type: 'response.create', ...call }));
}

const until = (reached: () => boolean): Promise<boolean> => eventually(() => Promise.resolve(reached()), Boolean);

/** Status and body of a socket's refusal. */
async function refusal(socket: WebSocket): Promise<string> {
  const [, answer] = (await once(socket, 'unexpected-response')) as [
    unknown,
    AsyncIterable<Buffer> & { statusCode: number },
  ];
  const pieces: Buffer[] = [];
  for await (const piece of answer) pieces.push(piece);
  return `${answer.statusCode} ${Buffer.concat(pieces).toString()}`;
}

async function bodyBytes(): Promise<number> {
  const rows = (await opened.gateway.readMetrics()) as readonly {
    readonly name: string;
    readonly values: readonly { readonly value: number }[];
  }[];
  return rows.find(({ name }) => name === 'tollbook_body_bytes')?.values[0]?.value ?? Number.NaN;
}

test('an unused socket closes after its idle time, on both sides', async () => {
  const { socket } = await openSocket();
  const closed = once(socket, 'close');
  opened.time.uptime += LIMITS.socketIdleMsMax;
  expect((await closed)[0]).toBe(1001);
  await eventually(double.connections, (count) => count === 0);
});

test('a message that crosses the end of its socket is not sent: its answer could not be delivered', async () => {
  const { socket } = await openSocket();
  const close = socket.close.bind(socket);
  socket.close = (...reason) => {
    create(socket);
    close(...reason);
  };
  const closed = once(socket, 'close');
  opened.time.uptime += LIMITS.socketIdleMsMax;
  await closed;
  await eventually(double.connections, (count) => count === 0);
  expect([opened.entries(), double.bill.rows]).toEqual([[], []]);
});

test('a provider that is silent for too long ends the call and the socket', async () => {
  const { socket, messages } = await openSocket();
  double.barrier.shut();
  create(socket);
  await double.barrier.waiting(1);
  const closed = once(socket, 'close');
  opened.time.uptime += LIMITS.upstreamSilenceMsMax;
  await closed;
  double.barrier.open();
  expect(messages.at(-1)).toMatchObject({ type: 'error', status: 504 });
  expect(opened.entries()).toMatchObject([{ outcome: 'broken', uncertainReason: 'timeout', cost: null }]);
});

test('a closing gateway lets open responses end, and closes sockets that have none', async () => {
  const [busy, idle] = [await openSocket(), await openSocket()];
  double.barrier.shut();
  create(busy.socket);
  await double.barrier.waiting(1);
  const [busyClosed, idleClosed] = [once(busy.socket, 'close'), once(idle.socket, 'close')];
  const closing = opened.gateway.close(60_000);
  expect((await idleClosed)[0]).toBe(1001);
  double.barrier.open();
  expect((await busyClosed)[0]).toBe(1001);
  expect(busy.messages.at(-1)?.type).toBe('response.completed');
  expect(await closing).toBe(0);
  expect(opened.entries()).toMatchObject([{ outcome: 'completed', uncertainReason: null }]);
});

test('further messages wait for earlier responses, up to a maximum', async () => {
  const { socket, messages } = await openSocket();
  double.barrier.shut();
  for (let call = 0; call < LIMITS.socketMessagesWaitingMax + 2; call++) create(socket);
  await until(() => messages.length === 1);
  expect(messages[0]).toMatchObject({ type: 'error', status: 429 });
  double.barrier.open();
  const completed = (): number => messages.filter(({ type }) => type === 'response.completed').length;
  await until(() => completed() === LIMITS.socketMessagesWaitingMax + 1);
  expect(await bodyBytes()).toBe(0);
});

test('a revoked key gets an error message for each further call, and a replaced provider key another socket', async () => {
  const { socket, messages } = await openSocket();
  opened.keys.put({ ...opened.key, revokedAt: opened.time.now });
  create(socket);
  await until(() => messages.length === 1);
  opened.keys.put({ ...opened.key, providerKey: 'another-key' });
  create(socket);
  await until(() => messages.length === 2);
  expect(messages.map(({ status, error }) => `${status} ${error?.message}`)).toEqual([
    expect.stringMatching(/^401 .*revoked/),
    expect.stringMatching(/^503 .*replaced/),
  ]);
  expect(double.requests).toEqual([]);
});

test('messages count as memory while they arrive, and a too large one ends the socket', async () => {
  const { socket } = await openSocket();
  socket.send(Buffer.alloc(100_000, ' '), { fin: false, binary: false });
  await eventually(bodyBytes, (bytes) => bytes >= 100_000);
  const closed = once(socket, 'close');
  socket.send(Buffer.alloc(LIMITS.bodyBytesMax, ' '), { fin: true, binary: false });
  await closed;
  await eventually(bodyBytes, (bytes) => bytes === 0);
});

test('refused messages are answered in their turn, and the socket is read no further meanwhile', async () => {
  const { socket, messages } = await openSocket();
  for (let message = 0; message < 200; message++) socket.send('{}');
  create(socket);
  await until(() => {
    // A key's refused requests begin in turns, which come with time.
    opened.time.uptime += 100;
    return messages.at(-1)?.type === 'response.completed';
  });
  expect(messages.filter(({ status }) => status === 400)).toHaveLength(200);
});

test('pings do not count as memory', async () => {
  const { socket } = await openSocket();
  for (let ping = 0; ping < 50; ping++) socket.ping('x'.repeat(100));
  await once(socket, 'pong');
  await eventually(bodyBytes, (bytes) => bytes === 0);
});

test('browsers and other sockets of the provider are refused with a sentence', async () => {
  expect(await refusal(ask({ 'sec-fetch-dest': 'websocket', 'sec-fetch-mode': 'websocket' }))).toMatch(
    /^403 .*browser/,
  );
  expect(await refusal(ask({}, '/v1/realtime'))).toMatch(/^404 .*Realtime/);
  expect(double.requests).toEqual([]);
});

test('a request to upgrade to HTTP/2 is answered as a plain request', async () => {
  const headers = { authorization: `Bearer ${TEST_GATEWAY_SECRET}`, connection: 'Upgrade', upgrade: 'h2c' };
  const asked = request(`${opened.url}/api/proxy/openai/v1/models`, { headers }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.resume();
  expect(answer.statusCode).toBe(200);
});

test('a request to upgrade where there is no socket is answered as a plain request', async () => {
  expect(await refusal(ask({}, '/v1/models'))).toMatch(/^200 /);
  expect(await refusal(ask({}, '/v1/chat/completions'))).toMatch(/^405 /);
  await eventually(double.connections, (count) => count <= 1);
});

test('a response torn at any message is counted with at least its bill', async () => {
  for (let messages = 0; messages <= 10; messages++) {
    const { socket } = await openSocket();
    const closed = once(socket, 'close');
    create(socket, { endAfter: messages });
    await Promise.race([closed, until(() => opened.entries().length > messages)]);
    socket.terminate();
    await until(() => opened.entries().length > messages);
    const entry = opened.entries().at(-1);
    const bill = Number(double.bill.rows.at(-1)?.nano);
    expect(entry?.counted.usd, `after ${messages} messages`).toBeGreaterThanOrEqual(bill);
    if (entry?.cost !== null) expect(entry?.cost).toBe(bill);
  }
});
