import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { LIMITS } from '../../src/config.ts';
import { createMemoryJournal } from '../../src/journal/memory-journal.ts';
import { hashSecret } from '../../src/lib/cipher.ts';
import { createIdSource } from '../../src/lib/id.ts';
import { silentLog } from '../../src/lib/log.ts';
import { createPriceBook } from '../../src/prices/price-book.ts';
import { buildProviders } from '../../src/providers/providers.ts';
import { openGate } from '../../src/proxy/gate.ts';
import { startProviderDouble } from '../doubles/provider-double.ts';
import { eventually, PROVIDER_KEY } from '../service.ts';
import { BODIES, PATHS } from './bad/bad-request.ts';

const SECRET = 'svc_sk_of_the_test';
const KEY = {
  id: 'key_1',
  hash: hashSecret(SECRET),
  workspaceId: 'ws_default',
  provider: 'anthropic',
  name: 'test',
  tags: {},
  expiresAt: null,
  revokedAt: null,
  providerKey: PROVIDER_KEY,
};

/** The gate alone, with a clock that stands still until it is set. */
async function startGate(urls: Readonly<Record<string, string>>) {
  const time = { now: Date.UTC(2026, 10, 1) };
  const clock = () => time.now;
  const { journal, entries } = createMemoryJournal();
  const gate = openGate({
    journal,
    providers: buildProviders({ urls, custom: [] }),
    prices: createPriceBook(),
    clock,
    log: silentLog,
    newCallId: createIdSource('call', clock),
    baggageTags: false,
    webSocket: null,
    shippedMark: () => 0,
    ended: () => {},
  });
  gate.keys.load([KEY], []);
  gate.server.listen(0, '127.0.0.1');
  await once(gate.server, 'listening');
  const url = `http://127.0.0.1:${(gate.server.address() as AddressInfo).port}`;
  return { gate, entries, time, url };
}

test.each([
  ['whose client left is followed for so long and no longer', LIMITS.drainMsMax, true, 'client_left'],
  ['that never ends is ended', LIMITS.callMsMax, false, 'timeout'],
])('a silent call %s', async (_, ms, leaves, doubt) => {
  const double = await startProviderDouble();
  const { gate, entries, time, url } = await startGate(double.urls);
  double.plan({ hold: 'writes' });
  const client = new AbortController();
  const body = BODIES.anthropic.replace('{', '{"stream":true,');
  const answer = await fetch(url + PATHS.anthropic, {
    method: 'POST',
    headers: { 'x-api-key': SECRET },
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
  time.now += ms - 1;
  // The gate looks every second, at the clock that stands just before the end.
  await fetch(`${url}/healthz`);
  expect(entries()).toEqual([]);
  time.now += 1;
  await held.closed;
  const [entry] = await eventually(
    async () => entries(),
    (ended) => ended.length === 1,
  );
  expect(entry).toMatchObject({ doubt });
  if (!leaves) await expect(reader?.read()).rejects.toThrow();
  await gate.close(0);
  await double.close();
});
