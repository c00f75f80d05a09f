import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Plan } from '../doubles/plan.ts';
import { seeded, seedOfRun } from '../seeded.ts';
import { Limited } from './limited.ts';
import { limitedKey, SocketClient } from './socket-client.ts';

// The service is ended while responses travel on WebSockets. The bill of the provider is the truth.

const KILLS = 4;
const SOCKETS = 6;
const CALLS = 4;
const AMOUNT = 0.05;
const NANO_PER_USD = 1e9;

let dataDir: string;
let limited: Limited;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tollbook-socket-'));
  limited = await Limited.start({ dataDir });
});
afterAll(async () => {
  await limited?.close();
  await rm(dataDir, { recursive: true, force: true });
});

test('after kill -9 at any message, no call is lost, none is twice, and no limit is passed', async () => {
  const seed = seedOfRun();
  const roll = seeded(seed);
  const key = await limitedKey(limited, AMOUNT);
  const before = limited.double.bill.total();
  for (let kill = 0; kill < KILLS; kill++) {
    const clients = await Promise.all(Array.from({ length: SOCKETS }, () => SocketClient.open(limited, key.key)));
    for (const client of clients)
      for (let call = 0; call < CALLS; call++)
        client.create(planOf(roll()), { stream_id: `s${Math.floor(roll() * 3)}` });
    await heard(clients, Math.floor(roll() * 60));
    await limited.killAndStart();
  }
  const standing = await limited.settled(key.limit);
  const billed = Number(limited.double.bill.total() - before) / NANO_PER_USD;
  const what = JSON.stringify({ seed, billed, standing });
  expect(standing.held, what).toBe(0);
  expect(billed, what).toBeLessThanOrEqual(standing.counted);
  expect(standing.counted, what).toBeLessThanOrEqual(AMOUNT);
  const [row] = await limited.service.rows('SELECT COUNT(*) AS entries, COUNT(DISTINCT call_id) AS calls FROM entries');
  expect(row?.['calls'], what).toBe(row?.['entries']);
  // The journal may have calls that were not sent before the end of the process.
  expect(Number(row?.['entries']), what).toBeGreaterThanOrEqual(begun(limited));
});

test('several workers serve sockets under one limit', async () => {
  const shared = await Limited.start({ env: { SVC_WORKERS: '2' } });
  try {
    const key = await limitedKey(shared, 7, 'calls');
    const clients = await Promise.all(Array.from({ length: 4 }, () => SocketClient.open(shared, key.key)));
    for (const client of clients) for (let call = 0; call < 4; call++) client.create({});
    const ends = (await Promise.all(clients.map((client) => client.ends(4)))).flat();
    for (const { socket } of clients) socket.close();
    expect(ends.filter(({ type }) => type === 'response.completed')).toHaveLength(7);
    expect(begun(shared)).toBe(7);
    expect(await shared.settled(key.limit)).toMatchObject({ counted: 7, held: 0 });
  } finally {
    await shared.close();
  }
});

/** Responses that the provider was asked for. */
function begun({ double }: Limited): number {
  return double.requests.filter(({ path }) => path.endsWith('/responses')).length;
}

function planOf(roll: number): Plan {
  const tokens = { input: 50, output: Math.ceil(roll * 100) };
  if (roll < 0.1) return { tokens, endAfter: 2 };
  if (roll < 0.2) return { tokens, errorAfter: 2 };
  if (roll < 0.3) return { tokens, status: 429 };
  return { tokens };
}

/** Resolves once the clients have got so many messages, or all have closed. */
async function heard(clients: readonly SocketClient[], count: number): Promise<void> {
  const messages = (): number => clients.reduce((sum, { messages: each }) => sum + each.length, 0);
  while (messages() < count && clients.some(({ socket }) => socket.readyState === socket.OPEN))
    await new Promise((resolve) => setImmediate(resolve));
}
