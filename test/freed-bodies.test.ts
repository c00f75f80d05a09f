import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sampleLimit } from '../src/limits/contract/sample-limits.ts';
import { buildProviders } from '../src/providers/providers.ts';
import { type ProviderDouble, startProviderDouble } from './doubles/provider-double.ts';
import { BODIES, PATHS } from './e2e/bad/bad-request.ts';
import { TEST_GATEWAY_SECRET, type TestGatewayOptions, startTestGateway } from './gateway.ts';
import { eventually } from './service.ts';

// However a request ends, the memory of its body and its share of the key's calls are free again.

const PATIENT = { hold: 'headers' } as const;
const MODELS = '/api/proxy/anthropic/v1/models';
const COUNT = '/api/proxy/anthropic/v1/messages/count_tokens';
/** Holds one call, not two. */
const ONE_AT_A_TIME = sampleLimit('lim_1', {
  workspaceId: 'ws_default',
  window: 'total',
  unit: 'concurrency',
  amount: 1,
});

let double: ProviderDouble;
let gateway: Awaited<ReturnType<typeof startTestGateway>>;
beforeAll(async () => {
  double = await startProviderDouble();
});
afterEach(() => gateway.gateway.close(0));
afterAll(() => double.close());

async function open(options: TestGatewayOptions = {}): Promise<void> {
  gateway = await startTestGateway(buildProviders({ urls: double.urls, custom: [] }), {
    callsPerKeyMax: 1,
    ...options,
  });
}

function post(path: string, more: RequestInit = {}): Promise<Response> {
  const headers = { 'x-api-key': TEST_GATEWAY_SECRET, ...(more.headers as Record<string, string>) };
  return fetch(gateway.url + path, { method: 'POST', body: BODIES.anthropic, ...more, headers });
}

async function bodyBytes(): Promise<number> {
  return Number(/^tollbook_body_bytes (\d+)$/m.exec(await (await fetch(`${gateway.url}/metrics`)).text())?.[1]);
}

/** The key may have one call: the next one is answered only if nothing is left of those before. */
async function expectFree(): Promise<void> {
  await eventually(bodyBytes, (bytes) => bytes === 0);
  const status = async (): Promise<number> => (await post(PATHS.anthropic)).status;
  expect(await eventually(status, (answered) => answered === 200)).toBe(200);
  await eventually(bodyBytes, (bytes) => bytes === 0);
}

test('after a client disconnected while its call waited', async () => {
  await open({ limits: [ONE_AT_A_TIME], callsPerKeyMax: 2 });
  double.plan(PATIENT);
  const first = post(PATHS.anthropic);
  const held = await double.held();
  await eventually(bodyBytes, (bytes) => bytes === 0);
  const client = new AbortController();
  const left = post(PATHS.anthropic, { signal: client.signal });
  await eventually(
    async () => gateway.ledger.waiting,
    (waiting) => waiting === 1,
  );
  expect(await bodyBytes()).toBe(BODIES.anthropic.length);
  client.abort();
  await expect(left).rejects.toThrow('aborted');
  await eventually(bodyBytes, (bytes) => bytes === 0);
  held.release();
  expect((await first).status).toBe(200);
  await expectFree();
});

test('after a free request was answered, and after its client disconnected', async () => {
  await open();
  double.plan(PATIENT);
  const client = new AbortController();
  const left = post(COUNT, { signal: client.signal });
  const held = await double.held();
  expect(await bodyBytes()).toBe(BODIES.anthropic.length);
  client.abort();
  await expect(left).rejects.toThrow('aborted');
  await held.closed;
  await expectFree();
  expect((await post(COUNT)).status).toBe(200);
  await expectFree();
});

test('after a client disconnected while its body was decoded', async () => {
  await open();
  const body = gzipSync(Buffer.alloc(8 * 1_048_576, ' '));
  const socket = await begin(body);
  await eventually(bodyBytes, (bytes) => bytes > body.length);
  socket.destroy();
  await expectFree();
});

test('after a client with pipelined requests disconnected before their answers', async () => {
  await open({ callsPerKeyMax: 2 });
  double.plan(PATIENT, PATIENT);
  const socket = await begin(Buffer.from(BODIES.anthropic));
  const first = await double.held();
  socket.write(`GET ${MODELS} HTTP/1.1\r\nhost: x\r\nx-api-key: ${TEST_GATEWAY_SECRET}\r\n\r\n`);
  const second = await double.held();
  socket.destroy();
  await second.closed;
  first.release();
  await eventually(
    async () => gateway.entries().length,
    (ended) => ended === 1,
  );
  double.plan(PATIENT);
  const one = post(PATHS.anthropic);
  const held = await double.held();
  expect((await post(PATHS.anthropic)).status).toBe(200);
  held.release();
  expect((await one).status).toBe(200);
});

/** Sends a whole request, gzipped where its body says so, and reads no answer. */
async function begin(body: Buffer): Promise<Socket> {
  const { port, hostname } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => socket.destroy());
  const lines = [
    `POST ${PATHS.anthropic} HTTP/1.1`,
    'host: x',
    `x-api-key: ${TEST_GATEWAY_SECRET}`,
    ...(body[0] === GZIP_MAGIC ? ['content-encoding: gzip'] : []),
    `content-length: ${body.length}`,
  ];
  await new Promise((resolve) =>
    socket.write(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]), resolve),
  );
  return socket;
}

const GZIP_MAGIC = 0x1f;
