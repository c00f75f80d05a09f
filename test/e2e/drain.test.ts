import { expect, test } from 'vitest';
import { LIMITS } from '../../src/config.ts';
import { hashSecret } from '../../src/lib/crypto/cipher.ts';
import { sampleLimit } from '../../src/limits/contract/sample-limits.ts';
import { buildProviders } from '../../src/providers/providers.ts';
import { startProviderDouble } from '../doubles/provider-double.ts';
import { TEST_GATEWAY_SECRET, startTestGateway } from '../gateway.ts';
import { eventually } from '../service.ts';
import { BODIES, PATHS } from './bad/bad-request.ts';

const OTHER_SECRET = 'svc_sk_of_another';

test.each([
  ['whose client left is followed for so long and no longer', LIMITS.drainMsMax, true, 'client_left'],
  ['that never ends is ended', LIMITS.callMsMax, false, 'timeout'],
])('a silent call %s', async (_, ms, leaves, uncertainReason) => {
  const double = await startProviderDouble();
  const { gateway, entries, time, url } = await startTestGateway(buildProviders({ urls: double.urls, custom: [] }));
  double.plan({ hold: 'writes' });
  const client = new AbortController();
  const body = BODIES.anthropic.replace('{', '{"stream":true,');
  const answer = await fetch(url + PATHS.anthropic, {
    method: 'POST',
    headers: { 'x-api-key': TEST_GATEWAY_SECRET },
    body,
    signal: client.signal,
  });
  const held = await double.held();
  held.next();
  const reader = answer.body?.getReader();
  await reader?.read();
  if (leaves) client.abort();
  // A new connection is accepted after the end of the other one has been noticed.
  await fetch(`${url}/healthz`);
  time.uptime += ms - 1;
  // The gate looks every second, at the clock that stands just before the end.
  await fetch(`${url}/healthz`);
  expect(entries()).toEqual([]);
  time.uptime += 1;
  await held.closed;
  const [entry] = await eventually(
    async () => entries(),
    (ended) => ended.length === 1,
  );
  expect(entry).toMatchObject({ uncertainReason });
  if (!leaves) await expect(reader?.read()).rejects.toThrow('terminated');
  await gateway.close(0);
  await double.close();
});

test('clients of one key that disconnect together use no more of a shared limit than their responses cost', async () => {
  const double = await startProviderDouble();
  const limit = sampleLimit('lim_1', {
    workspaceId: 'ws_default',
    unit: 'output_tokens',
    amount: 10_000,
    window: 'hour',
  });
  const { gateway, entries, key, keys, ledger, time, url } = await startTestGateway(
    buildProviders({ urls: double.urls, custom: [] }),
    { limits: [limit] },
  );
  keys.put({ ...key, id: 'key_2', name: 'other', hash: hashSecret(OTHER_SECRET) });
  const ask = (secret: string, maxTokens: number, signal?: AbortSignal) =>
    fetch(url + PATHS.anthropic, {
      method: 'POST',
      headers: { 'x-api-key': secret },
      body: JSON.stringify({ model: 'claude-haiku-4-5', max_tokens: maxTokens, stream: true, messages: [] }),
      ...(signal && { signal }),
    });
  const begun = [];
  for (const maxTokens of [500, 3_000, 3_000, 3_000]) {
    double.plan({ hold: 'writes' });
    const client = new AbortController();
    const asked = ask(TEST_GATEWAY_SECRET, maxTokens, client.signal);
    const held = await double.held();
    held.next();
    const reader = (await asked).body?.getReader();
    await reader?.read();
    begun.push({ client, held });
  }
  for (const { client } of begun) client.abort();
  await fetch(`${url}/healthz`);
  time.uptime += LIMITS.drainMsMax;
  await begun[0]?.held.closed;
  // The answers that are read on end by themselves.
  for (const { held } of begun) held.release();
  await eventually(
    async () => entries().length,
    (ended) => ended === 4,
  );
  expect(entries().map(({ uncertainReason }) => uncertainReason)).toEqual(['client_left', null, null, null]);
  expect(ledger.standings(['lim_1'], time.now, 1)).toMatchObject([{ counted: 560, held: 0 }]);
  expect((await ask(OTHER_SECRET, 9_000)).status).toBe(200);
  await gateway.close(0);
  await double.close();
});

test.each([
  ['forward', 2 * 3_600_000],
  ['back', -3_600_000],
])('a step of the wall clock %s cuts off no call and makes no duration wrong', async (_, stepMs) => {
  const double = await startProviderDouble();
  const { gateway, entries, time, url } = await startTestGateway(buildProviders({ urls: double.urls, custom: [] }));
  double.plan({ hold: 'headers' });
  const asked = fetch(url + PATHS.anthropic, {
    method: 'POST',
    headers: { 'x-api-key': TEST_GATEWAY_SECRET },
    body: BODIES.anthropic,
  });
  const held = await double.held();
  const startedAt = time.now;
  time.now += stepMs;
  time.uptime += 1_500;
  held.release();
  expect((await asked).status).toBe(200);
  await gateway.close(0);
  expect(entries()).toMatchObject([
    { uncertainReason: null, startedAt, endedAt: startedAt + 1_500, firstByteMs: 1_500 },
  ]);
  await double.close();
});
