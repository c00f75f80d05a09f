import { afterAll, expect, test } from 'vitest';
import { ConnectionLease, type UpstreamTarget, UpstreamPools } from './upstream.ts';

const upstreams: UpstreamPools[] = [];
afterAll(() => Promise.all(upstreams.map((each) => each.close())));

function targetOf(upstreamConnectionsMax: number): UpstreamTarget {
  const opened = new UpstreamPools({ upstreamConnectionsMax, upstreamConnectMsMax: 1, upstreamSilenceMsMax: 1 });
  upstreams.push(opened);
  return opened.target('http://127.0.0.1:9');
}

const holder = () => ({ connections: 0 });

/** Takes as many as it gets. */
function takeAll(target: UpstreamTarget, key = holder(), client = holder()): ConnectionLease[] {
  const leases: ConnectionLease[] = [];
  for (;;) {
    const lease = target.lease(key, client);
    if (!(lease instanceof ConnectionLease)) return leases;
    leases.push(lease);
  }
}

test('a key takes half of the connections to a provider, and each further key half of the rest', () => {
  const target = targetOf(2_048);
  expect(Array.from({ length: 5 }, () => takeAll(target).length)).toEqual([1_024, 512, 256, 128, 64]);
});

test('an address takes three quarters of the connections, however many keys it uses', () => {
  const target = targetOf(2_048);
  const client = holder();
  for (let key = 0; key < 50; key += 1) takeAll(target, holder(), client);
  expect(client.connections).toBe(1_536);
  expect(takeAll(target).length).toBe(256);
});

test('a full pool refuses with 503, and a returned connection is free again, once', () => {
  const target = targetOf(2);
  const [first] = takeAll(target);
  takeAll(target);
  expect(target.lease(holder(), null)).toMatchObject({ status: 503, retryAfter: 1 });
  first?.end();
  first?.end();
  const key = holder();
  expect(takeAll(target, key)).toHaveLength(1);
  expect(key.connections).toBe(1);
});
