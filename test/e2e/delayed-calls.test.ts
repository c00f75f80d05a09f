import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sampleLimit } from '../../src/limits/contract/sample-limits.ts';
import { buildProviders } from '../../src/providers/providers.ts';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { TEST_GATEWAY_SECRET, type TestGatewayOptions, startTestGateway } from '../gateway.ts';
import { eventually } from '../service.ts';

// What happens to the gateway's calls later than usual: after a wait, after trouble of the disk, at the close.

let double: ProviderDouble;
let gateway: Awaited<ReturnType<typeof startTestGateway>>;
beforeAll(async () => {
  double = await startProviderDouble();
});
afterEach(() => gateway.gateway.close(0));
afterAll(() => double.close());

async function open(options: TestGatewayOptions = {}): Promise<void> {
  gateway = await startTestGateway(buildProviders({ urls: double.urls, custom: [] }), options);
}

const OUTPUT_MAX = 600;
/** Holds one call, not two, and pays for many. */
const ONE_AT_A_TIME = sampleLimit('lim_1', {
  workspaceId: 'ws_default',
  window: 'total',
  unit: 'output_tokens',
  amount: OUTPUT_MAX + 100,
});

async function call(): Promise<number> {
  const answer = await fetch(`${gateway.url}/api/proxy/anthropic/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TEST_GATEWAY_SECRET}` },
    body: JSON.stringify({
      model: 'claude-haiku-4-5',
      max_tokens: OUTPUT_MAX,
      messages: [{ role: 'user', content: 'Hello' }],
    }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

/** A call at the provider, and one that waits for it. */
async function callTwice() {
  double.plan({ hold: 'headers' });
  const first = call();
  const held = await double.held();
  const second = call();
  await eventually(
    async () => gateway.ledger.waiting,
    (waiting) => waiting === 1,
  );
  return { first, held, second };
}

test('a key revoked while its call waits is not used, and the call holds nothing', async () => {
  await open({ limits: [ONE_AT_A_TIME] });
  const from = double.requests.length;
  const { first, held, second } = await callTwice();
  gateway.keys.put({ ...gateway.key, revokedAt: gateway.time.now });
  held.release();
  expect([await first, await second]).toEqual([200, 401]);
  expect(double.requests.length - from).toBe(1);
  gateway.keys.put(gateway.key);
  expect(await call()).toBe(200);
});

test("the time that a call waits for others doesn't count as added latency", async () => {
  await open({ limits: [ONE_AT_A_TIME] });
  const { first, held, second } = await callTwice();
  gateway.time.uptime += 1_000;
  held.release();
  expect([await first, await second]).toEqual([200, 200]);
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  expect(metrics).toMatch(/^tollbook_overhead_seconds_count\{provider="anthropic"\} 2$/m);
  expect(metrics).toMatch(/^tollbook_overhead_seconds_sum\{provider="anthropic"\} 0$/m);
});

test('a call whose end waits for the disk sends its event only once the journal has it', async () => {
  const found = Promise.withResolvers<number>();
  await open({ ended: () => found.resolve(gateway.entries().length) });
  double.plan({ hold: 'headers' });
  const answered = call();
  const held = await double.held();
  gateway.failWith('The disk is full.');
  held.release();
  expect(await answered).toBe(200);
  gateway.failWith(null);
  expect(await found.promise).toBe(1);
});

test('closing waits for calls by the monotonic clock', async () => {
  await open();
  double.plan({ hold: 'headers' });
  const answered = call();
  const held = await double.held();
  const graceMs = 60_000;
  const closed = gateway.gateway.close(graceMs);
  gateway.time.uptime += graceMs;
  expect(await closed).toBe(1);
  expect(await answered).toBe(502);
  await held.closed;
});
