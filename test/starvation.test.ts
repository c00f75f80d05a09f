import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { LIMITS } from '../src/config.ts';
import { hashSecret } from '../src/lib/crypto/cipher.ts';
import { sampleLimit } from '../src/limits/contract/sample-limits.ts';
import { buildProviders } from '../src/providers/providers.ts';
import { type ProviderDouble, startProviderDouble } from './doubles/provider-double.ts';
import { BODIES, PATHS } from './e2e/bad/bad-request.ts';
import { open, readAnswer } from './e2e/bad/exchange.ts';
import { TEST_GATEWAY_SECRET, type TestGatewayOptions, startTestGateway } from './gateway.ts';
import { eventually } from './service.ts';

// One key, or one machine, that takes all it can get: others are served meanwhile.

const MIB = 1_048_576;
const OTHER_SECRET = 'svc_sk_of_another';

let double: ProviderDouble;
let close: () => Promise<unknown>;
beforeAll(async () => {
  double = await startProviderDouble();
});
afterEach(() => close());
afterAll(() => double.close());

/** A gateway with two wrapped keys. */
async function openGate(options: TestGatewayOptions = {}) {
  const started = await startTestGateway(buildProviders({ urls: double.urls, custom: [] }), options);
  started.keys.put({ ...started.key, id: 'key_2', name: 'other', hash: hashSecret(OTHER_SECRET) });
  close = () => started.gateway.close(0);
  return started;
}

function call(url: string, secret: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(url + PATHS.anthropic, {
    method: 'POST',
    headers: { 'x-api-key': secret, ...headers },
    body: BODIES.anthropic,
  });
}

/** Begins a request whose body ends 4 KiB too soon. */
async function stall(url: string, bytes: number): Promise<Socket> {
  const socket = await open(url);
  socket.on('error', () => socket.destroy());
  const lines = [
    `POST ${PATHS.anthropic} HTTP/1.1`,
    'host: x',
    `x-api-key: ${TEST_GATEWAY_SECRET}`,
    `content-length: ${bytes}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  await new Promise((resolve) => socket.write(Buffer.alloc(bytes - 4_096, ' '), resolve));
  return socket;
}

test('eight stalled bodies of one key use at most half of the memory, and another key is served', async () => {
  const { url } = await openGate();
  const statuses: number[] = [];
  const sockets = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const socket = await stall(url, 32 * MIB);
      void readAnswer(socket, true).then(
        ({ status }) => statuses.push(status),
        () => {},
      );
      return socket;
    }),
  );
  const held = async () =>
    Number(/^tollbook_body_bytes (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]);
  expect(await eventually(held, (bytes) => bytes > 64 * MIB)).toBeLessThanOrEqual(128 * MIB);
  expect((await call(url, OTHER_SECRET)).status).toBe(200);
  await eventually(
    async () => statuses.length,
    (refused) => refused >= 4,
  );
  expect(new Set(statuses)).toEqual(new Set([429]));
  for (const socket of sockets) socket.destroy();
  await eventually(held, (bytes) => bytes === 0);
});

test('a key with the maximum of concurrent calls gets 429 in its provider’s shape, and another key is served', async () => {
  const { url, entries } = await openGate({ callsPerKeyMax: 2 });
  double.plan({ hold: 'headers' }, { hold: 'headers' });
  const first = call(url, TEST_GATEWAY_SECRET);
  const held = await double.held();
  const second = call(url, TEST_GATEWAY_SECRET);
  const other = await double.held();
  const refused = await call(url, TEST_GATEWAY_SECRET);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await refused.json()).toMatchObject({
    type: 'error',
    error: { type: 'rate_limit_error', message: expect.stringContaining('set SVC_CALLS_PER_KEY higher') as string },
  });
  const models = await fetch(`${url}/api/proxy/anthropic/v1/models`, { headers: { 'x-api-key': TEST_GATEWAY_SECRET } });
  expect(models.status).toBe(429);
  expect((await call(url, OTHER_SECRET)).status).toBe(200);
  held.release();
  expect((await first).status).toBe(200);
  await eventually(
    async () => entries().length,
    (ended) => ended === 2,
  );
  expect((await call(url, TEST_GATEWAY_SECRET)).status).toBe(200);
  other.release();
  expect((await second).status).toBe(200);
});

test('waiting calls beyond the share of their key are refused, and hold nothing', async () => {
  const limit = { workspaceId: 'ws_default', scope: { kind: 'model', pattern: 'claude-haiku-4-5' } } as const;
  const output = sampleLimit('lim_1', { ...limit, window: 'total', unit: 'output_tokens', amount: 1_200 });
  const { url, ledger } = await openGate({ callsPerKeyMax: 2, limits: [output] });
  const ask = (model: string, maxTokens: number): Promise<Response> =>
    fetch(url + PATHS.anthropic, {
      method: 'POST',
      headers: { 'x-api-key': TEST_GATEWAY_SECRET },
      body: JSON.stringify({ model, max_tokens: maxTokens, messages: [{ role: 'user', content: 'Hello' }] }),
    });
  double.plan(...Array.from({ length: 3 }, () => ({ hold: 'headers' }) as const));
  const first = ask('claude-haiku-4-5', 1_100);
  const held = [await double.held()];
  const waiting = [ask('claude-haiku-4-5', 500), ask('claude-haiku-4-5', 500)];
  await eventually(
    async () => ledger.waiting,
    (calls) => calls === 2,
  );
  const other = ask('claude-opus-4-5', 100);
  held.push(await double.held());
  held[0]?.release();
  held.push(await double.held());
  for (const answer of held) answer.release();
  const statuses = await Promise.all(waiting.map(async (answer) => (await answer).status));
  expect([(await first).status, (await other).status, ...statuses.toSorted((a, b) => a - b)]).toEqual([
    200, 200, 200, 429,
  ]);
  expect((await ask('claude-haiku-4-5', 1_000)).status).toBe(200);
});

test('what a key held is free after disconnects, failed calls and ended free requests', async () => {
  // One connection alone: another could not be used before all that held it has given it back.
  const { url, entries } = await openGate({ callsPerKeyMax: 1, upstreamConnectionsMax: 1 });
  const models = `${url}/api/proxy/anthropic/v1/models`;
  for (let turn = 1; turn <= 3; turn += 1) {
    double.plan({ hold: 'headers' });
    const client = new AbortController();
    const headers = { 'x-api-key': TEST_GATEWAY_SECRET };
    const left = fetch(url + PATHS.anthropic, {
      method: 'POST',
      headers,
      body: BODIES.anthropic,
      signal: client.signal,
    });
    const held = await double.held();
    client.abort();
    await expect(left).rejects.toThrow('aborted');
    held.release();
    double.plan({ reset: 'before_headers' });
    await eventually(
      async () => (await call(url, TEST_GATEWAY_SECRET)).status,
      (status) => status === 502,
    );
    expect((await (await fetch(models, { headers })).arrayBuffer()).byteLength).toBeGreaterThan(0);
    await eventually(
      async () => (await call(url, TEST_GATEWAY_SECRET)).status,
      (status) => status === 200,
    );
  }
  expect(entries()).toHaveLength(9);
});

test('requests of a key without a response count as calls, and another key is served', async () => {
  const { url } = await openGate({ callsPerKeyMax: 1 });
  const stalled = [await stall(url, 8_192), await stall(url, 8_192)];
  const refused = await eventually(
    () => call(url, TEST_GATEWAY_SECRET),
    ({ status }) => status === 429,
  );
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await refused.json()).toMatchObject({
    type: 'error',
    error: { type: 'rate_limit_error', message: expect.stringContaining('2 requests without a response') as string },
  });
  expect((await call(url, OTHER_SECRET)).status).toBe(200);
  for (const socket of stalled) socket.destroy();
  await eventually(
    async () => (await call(url, TEST_GATEWAY_SECRET)).status,
    (status) => status === 200,
  );
});

/** Sends 30 connections with 30 requests each, which the gateway refuses. Returns how many were answered so far. */
async function flood(url: string, secret: string): Promise<() => number> {
  const request = `POST ${PATHS.anthropic} HTTP/1.1\r\nhost: x\r\nx-api-key: ${secret}\r\ncontent-length: 2\r\n\r\n{}`;
  let text = '';
  await Promise.all(
    Array.from({ length: 30 }, async () => {
      const socket = await open(url);
      flooding.push(socket);
      socket.setEncoding('latin1').on('data', (piece: string) => void (text += piece));
      await new Promise((resolve) => socket.write(request.repeat(30), resolve));
    }),
  );
  return () => text.match(/HTTP\/1\.1 4\d\d/g)?.length ?? 0;
}
const flooding: Socket[] = [];
afterEach(() => {
  for (const socket of flooding.splice(0)) socket.destroy();
});

test.each([
  ['of one key', TEST_GATEWAY_SECRET],
  ['without a key', 'svc_sk_unknown'],
])('refused requests %s wait for their turns, and another key does not', async (_, secret) => {
  const { url, time } = await openGate();
  const answered = await flood(url, secret);
  for (let calls = 0; calls < 100; calls += 1) expect((await call(url, OTHER_SECRET)).status).toBe(200);
  // The clock of the gateway stands still.
  expect(answered()).toBe(LIMITS.unsentRequestsMax);
  await eventually(
    async () => {
      time.uptime += 1_000;
      return answered();
    },
    (count) => count === 900,
  );
});

const THIRD_SECRET = 'svc_sk_of_a_third';

test('one key or address leaves provider connections to others, and a full pool answers 503', async () => {
  const { url, key, keys } = await openGate({ upstreamConnectionsMax: 4, trustedProxies: ['127.0.0.1'] });
  keys.put({ ...key, id: 'key_3', name: 'third', hash: hashSecret(THIRD_SECRET) });
  const here = { 'x-forwarded-for': '192.0.2.1' };
  const elsewhere = { 'x-forwarded-for': '192.0.2.2' };
  double.plan(...Array.from({ length: 4 }, () => ({ hold: 'headers' }) as const));
  const calls: Promise<Response>[] = [];
  const holds: { release(): void }[] = [];
  const hold = async (secret: string, from: typeof here): Promise<void> => {
    calls.push(call(url, secret, from));
    holds.push(await double.held());
  };
  await hold(TEST_GATEWAY_SECRET, here);
  await hold(TEST_GATEWAY_SECRET, here);
  const ofKey = await call(url, TEST_GATEWAY_SECRET, elsewhere);
  expect([ofKey.status, ofKey.headers.get('retry-after')]).toEqual([429, '1']);
  expect(await ofKey.text()).toContain('Requests of this wrapped key use 2 connections');
  const models = `${url}/api/proxy/anthropic/v1/models`;
  const free = await fetch(models, { headers: { 'x-api-key': TEST_GATEWAY_SECRET, ...elsewhere } });
  expect([free.status, free.headers.get('retry-after')]).toEqual([429, '1']);
  await hold(OTHER_SECRET, here);
  const ofAddress = await call(url, THIRD_SECRET, here);
  expect(ofAddress.status).toBe(429);
  expect(await ofAddress.text()).toContain('Requests of this client address use 3 connections');
  await hold(THIRD_SECRET, elsewhere);
  const full = await call(url, OTHER_SECRET, elsewhere);
  expect([full.status, full.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await full.text()).toContain('All 4 connections to this provider are in use');
  for (const each of holds) each.release();
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  for (const secret of [TEST_GATEWAY_SECRET, OTHER_SECRET, THIRD_SECRET, TEST_GATEWAY_SECRET, OTHER_SECRET])
    expect(
      (
        await eventually(
          () => call(url, secret, here),
          ({ status }) => status === 200,
        )
      ).status,
    ).toBe(200);
});

test('a key whose calls all fail is refused unsent after so many, and another key is served', async () => {
  const { url, entries, time } = await openGate();
  double.plan(...Array.from({ length: LIMITS.failedCallsPerKeyMax }, () => ({ status: 404 }) as const));
  for (let left = LIMITS.failedCallsPerKeyMax; left > 0; left -= 50)
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        const answer = await call(url, TEST_GATEWAY_SECRET);
        expect(answer.status).toBe(404);
        await answer.arrayBuffer();
      }),
    );
  const refused = await call(url, TEST_GATEWAY_SECRET);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect(await refused.text()).toContain('failed: 1000 more than the provider answered');
  expect(entries()).toHaveLength(LIMITS.failedCallsPerKeyMax);
  expect((await call(url, OTHER_SECRET)).status).toBe(200);
  time.uptime += 1_000;
  expect((await call(url, TEST_GATEWAY_SECRET)).status).toBe(200);
});

/** Half a header. */
async function halfHeader(url: string): Promise<Socket> {
  const socket = await open(url);
  socket.write(`POST ${PATHS.anthropic} HTTP/1.1\r\nhost: x\r\n`);
  return socket;
}

test('connections beyond the share of their address are closed with a reason, and freed places are reused', async () => {
  const { url } = await openGate({ connectionsPerAddressMax: 3 });
  const sockets = [await halfHeader(url), await halfHeader(url), await halfHeader(url)];
  const { port, hostname } = new URL(url);
  const refused = connect(Number(port), hostname);
  expect(await readAnswer(refused)).toMatchObject({
    status: 503,
    body: expect.stringContaining('set SVC_CONNECTIONS_PER_ADDRESS higher') as string,
  });
  sockets[0]?.destroy();
  await eventually(
    () =>
      call(url, TEST_GATEWAY_SECRET, { connection: 'close' }).then(
        ({ status }) => status,
        () => 0,
      ),
    (status) => status === 200,
  );
  for (const socket of sockets) socket.destroy();
});

test('a request sent with a refused connection is never read', async () => {
  const { url, entries } = await openGate({ connectionsPerAddressMax: 1 });
  const first = await halfHeader(url);
  const seen = double.requests.length;
  for (let turn = 0; turn < 5; turn += 1) {
    const { port, hostname } = new URL(url);
    const socket = connect(Number(port), hostname);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => socket.destroy());
    socket.write(`POST ${PATHS.anthropic} HTTP/1.1\r\nhost: x\r\nx-api-key: ${TEST_GATEWAY_SECRET}\r\n`);
    socket.write(`content-length: ${BODIES.anthropic.length}\r\n\r\n${BODIES.anthropic}`);
    socket.resume();
    await closed;
  }
  expect(double.requests).toHaveLength(seen);
  expect(entries()).toEqual([]);
  first.destroy();
});

test('behind a trusted proxy, each client address has its own share', async () => {
  const { url } = await openGate({ connectionsPerAddressMax: 1, trustedProxies: ['127.0.0.1'] });
  double.plan({ hold: 'headers' });
  const first = call(url, TEST_GATEWAY_SECRET, { 'x-forwarded-for': '192.0.2.1' });
  const held = await double.held();
  const refused = await call(url, OTHER_SECRET, { 'x-forwarded-for': '192.0.2.1' });
  expect(refused.status).toBe(429);
  expect(await refused.text()).toContain('requests from 192.0.2.1 are open');
  expect((await call(url, OTHER_SECRET, { 'x-forwarded-for': '192.0.2.2' })).status).toBe(200);
  held.release();
  expect((await first).status).toBe(200);
});

test('an incomplete header is closed within five seconds of its timeout', async () => {
  const { gateway } = await openGate();
  const { headersTimeout, requestTimeout } = gateway.server;
  const options = gateway.server as unknown as { readonly connectionsCheckingInterval: number };
  expect(options.connectionsCheckingInterval).toBeLessThanOrEqual(5_000);
  expect([headersTimeout, requestTimeout]).toEqual([LIMITS.headersMsMax, LIMITS.requestMsMax]);
});
