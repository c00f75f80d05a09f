import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, get, type Server } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LIMITS } from '../config.ts';
import { silentLog } from '../lib/log.ts';
import { LedgerRelay } from './ledger-relay.ts';
import { ClientShares } from './proxy/client-shares.ts';

let folder: string;
const servers: Server[] = [];
let ledger: ChildProcess | null = null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollbook-relay-'));
});
afterEach(() => {
  ledger?.kill('SIGKILL');
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
  rmSync(folder, { recursive: true, force: true });
});

async function listen(server: Server, at: string | number): Promise<void> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(at, resolve));
}

test('one address has at most a quarter of the requests to the ledger thread open', async () => {
  const socketPath = join(folder, 'web.sock');
  let asked = 0;
  // Never answers.
  await listen(
    createServer(() => void (asked += 1)),
    socketPath,
  );
  const clients = new ClientShares({ trustedProxies: [], connectionsPerAddressMax: 10_000 });
  const relay = new LedgerRelay({ socketPath, log: silentLog, trustedProxies: [], clients });
  const server = createServer((req, res) => relay.handle(req, res));
  server.on('connection', (socket) => clients.connect(socket));
  await listen(server, 0);
  const { port } = server.address() as AddressInfo;
  const quarter = LIMITS.relayedRequestsMax / 4;
  const refused = await new Promise<number | undefined>((resolve) => {
    for (let sent = 0; sent < quarter + 1; sent += 1)
      get({ port, host: '127.0.0.1', agent: false }, (res) => resolve(res.statusCode)).on('error', () => undefined);
  });
  expect(refused).toBe(429);
  await expect.poll(() => asked).toBe(quarter);
});

test.each([
  ['/v1/logs', 'as sent', 200],
  ['/otlp/v1/traces?x=1', 'as sent', 200],
  ['/api/usage/events', 'as sent', 413],
  ['/v1/logs', 'without a token', 413],
])('a body of more than a mebibyte at %s %s gets %i', async (path, how, status) => {
  const socketPath = join(folder, 'web.sock');
  await listen(
    createServer((req, res) => void req.resume().on('end', () => res.end())),
    socketPath,
  );
  const clients = new ClientShares({ trustedProxies: [], connectionsPerAddressMax: 10_000 });
  const relay = new LedgerRelay({ socketPath, log: silentLog, trustedProxies: [], clients });
  const server = createServer((req, res) => relay.handle(req, res));
  server.on('connection', (socket) => clients.connect(socket));
  await listen(server, 0);
  const { port } = server.address() as AddressInfo;
  const headers: Record<string, string> = how === 'as sent' ? { authorization: 'Bearer x' } : {};
  const body = Buffer.alloc(LIMITS.apiBodyBytesMax + 1);
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body });
  expect(answer.status).toBe(status);
});

/** Serves at the path in its first argument. Its queue has room for two connections. */
const SHORT_QUEUE = `require('node:http').createServer((req, res) => res.end('answered'))
  .listen({ path: process.argv[1], backlog: 1 }, () => process.stdout.write('listening'))`;

test.runIf(process.platform === 'linux')(
  'a full queue of connections to the ledger thread delays requests, and fails none',
  async () => {
    const socketPath = join(folder, 'web.sock');
    const stopped = spawn(process.execPath, ['-e', SHORT_QUEUE, socketPath], { stdio: ['ignore', 'pipe', 'inherit'] });
    ledger = stopped;
    await once(stopped.stdout, 'data');
    stopped.kill('SIGSTOP');
    const clients = new ClientShares({ trustedProxies: [], connectionsPerAddressMax: 10_000 });
    const relay = new LedgerRelay({ socketPath, log: silentLog, trustedProxies: [], clients });
    const { promise: allArrived, resolve } = Promise.withResolvers<void>();
    let arrived = 0;
    const server = createServer((req, res) => {
      relay.handle(req, res);
      arrived += 1;
      if (arrived === 10) resolve();
    });
    server.on('connection', (socket) => clients.connect(socket));
    await listen(server, 0);
    const { port } = server.address() as AddressInfo;
    const answers = Array.from({ length: 10 }, async () => (await fetch(`http://127.0.0.1:${port}/api/live`)).text());
    await allArrived;
    stopped.kill('SIGCONT');
    expect(await Promise.all(answers)).toEqual(Array(10).fill('answered'));
  },
);
