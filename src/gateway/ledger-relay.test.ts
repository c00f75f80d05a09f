import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LIMITS } from '../config.ts';
import { open, readAnswer } from '../../test/e2e/bad/exchange.ts';
import { startTestGateway } from '../../test/gateway.ts';
import { eventually } from '../../test/service.ts';

const MIB = 1_048_576;
const HERE = '192.0.2.1';
const ELSEWHERE = '192.0.2.2';
const TOKEN = 'authorization: Bearer x';

let folder: string;
let ledger: Server;
/** Bodies that reached the ledger thread. */
let received: string[];
let gateway: Awaited<ReturnType<typeof startTestGateway>>;
let sockets: Socket[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollbook-relay-'));
  const webSocket = join(folder, 'web');
  received = [];
  sockets = [];
  ledger = createServer((req, res) => {
    void text(req).then((body) => {
      received.push(body);
      res.end('done');
    });
  }).listen(webSocket);
  await once(ledger, 'listening');
  gateway = await startTestGateway(new Map(), { webSocket, trustedProxies: ['127.0.0.1'] });
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await gateway.gateway.close(0);
  ledger.close();
  await rm(folder, { recursive: true });
});

/** Begins a request whose body ends `missing` bytes too soon. */
async function begin(from: string, bytes: number, missing: number, ...headers: string[]): Promise<Socket> {
  const socket = await open(gateway.url);
  sockets.push(socket);
  const lines = ['POST /api/auth/sign-in/email HTTP/1.1', 'host: x', `x-forwarded-for: ${from}`, ...headers];
  socket.write(`${lines.join('\r\n')}\r\ncontent-length: ${bytes}\r\n\r\n`);
  if (bytes > missing) await new Promise((resolve) => socket.write(Buffer.alloc(bytes - missing, ' '), resolve));
  return socket;
}

async function heldBytes(): Promise<number> {
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  return Number(/^tollbook_body_bytes (\d+)$/m.exec(metrics)?.[1]);
}

test('unfinished bodies of one address hold at most half of the memory, never reach the ledger, and another address is served', async () => {
  const statuses: number[] = [];
  for (let at = 0; at < 40; at += 1) {
    const socket = await begin(HERE, MIB, 1, TOKEN);
    void readAnswer(socket, true).then(
      ({ status }) => statuses.push(status),
      () => {},
    );
  }
  await eventually(
    async () => statuses.length,
    (refused) => refused >= 24,
  );
  expect(new Set(statuses)).toEqual(new Set([429]));
  const held = await heldBytes();
  expect(held).toBeGreaterThan(LIMITS.apiBodiesBytesMax / 4);
  expect(held).toBeLessThanOrEqual(LIMITS.apiBodiesBytesMax / 2);
  const other = await begin(ELSEWHERE, MIB, 0, TOKEN);
  expect(await readAnswer(other, true)).toMatchObject({ status: 200, body: 'done' });
  expect(received.map(({ length }) => length)).toEqual([MIB]);
  for (const socket of sockets) socket.destroy();
  await eventually(heldBytes, (bytes) => bytes === 0);
  expect(received).toHaveLength(1);
});

test('a request without a token or session has at most 16 KiB of body', async () => {
  const large = await readAnswer(await begin(HERE, MIB, MIB), true);
  expect(large).toMatchObject({
    status: 413,
    body: expect.stringContaining('"error":"The request body is larger than 16 KiB.","type":"too_large"') as string,
  });
  expect((await readAnswer(await begin(HERE, 16_384, 0), true)).status).toBe(200);
});

test('a body that does not arrive in time is refused, and its memory is free', async () => {
  const socket = await begin(HERE, 1_000, 1);
  const answer = readAnswer(socket);
  // The time begins when the gateway first looks at the body.
  await eventually(heldBytes, (bytes) => bytes === 999);
  await eventually(
    async () => {
      gateway.time.uptime += LIMITS.apiBodyMsMax / 10;
      return heldBytes();
    },
    (bytes) => bytes === 0,
  );
  expect(await answer).toMatchObject({ status: 408, body: expect.stringContaining('within 60 s') as string });
});

test('a request without a body, and a body in chunks, reach the ledger', async () => {
  expect(await (await fetch(`${gateway.url}/api/account`)).text()).toBe('done');
  const body = new ReadableStream({
    start(controller) {
      for (const piece of ['{', '"a":', '1}']) controller.enqueue(Buffer.from(piece));
      controller.close();
    },
  });
  const chunked = { method: 'POST', body, duplex: 'half' } as const;
  expect((await fetch(`${gateway.url}/api/account/claim`, chunked)).status).toBe(200);
  expect(received).toEqual(['', '{"a":1}']);
});
