import { createServer, get, type Server } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { LIMITS } from '../config.ts';
import { silentLog } from '../lib/log.ts';
import { LedgerRelay } from './ledger-relay.ts';
import { ClientShares } from './proxy/client-shares.ts';

const folder = mkdtempSync(join(tmpdir(), 'tollbook-relay-'));
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers) {
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
