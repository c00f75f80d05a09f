import { createHook } from 'node:async_hooks';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parseWebhookAllow, webhookGuard } from '../../src/domain/alerts/webhook-address.ts';
import { createGuardedSender, type GuardedSender } from '../../src/lib/http/guarded-sender.ts';
import { type HostLookup, refuseNow } from '../../src/lib/http/guarded-lookup.ts';
import type { SendResult } from '../../src/lib/http/guarded-exchange.ts';
import { type DnsDouble, startDnsDouble } from '../doubles/dns-double.ts';
import { HOSTILE_URLS, NAMES } from './hostile-addresses.ts';

/** Connections that this process began, by whatever library. */
let begun = 0;
const hook = createHook({ init: (_id, type) => void (type === 'TCPCONNECTWRAP' && (begun += 1)) });

/** Connections that arrived, by the address at which they did. */
const arrived: string[] = [];
const OWN = /^https?:\/\/(?:127\.0\.0\.[12]|0|\[::1\]|2130706433|0x7f\.1|loopback\.[a-z.]+):PORT\/$/;
const ANSWER = 'HTTP/1.1 302 Found\r\nlocation: ';
let port = 0;
let dns: DnsDouble;
let lookup: HostLookup;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  // On all addresses of this machine, of both families.
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    arrived.push(socket.localAddress ?? '');
    sockets.add(socket);
    socket.on('error', () => {}).once('data', () => socket.end(`${ANSWER}http://127.0.0.1:${port}/inside\r\n\r\n`));
  }).listen(0, '::');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
  dns = await startDnsDouble(NAMES);
  const resolver = new Resolver();
  resolver.setServers([`127.0.0.1:${dns.port}`]);
  lookup = async (host) => {
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  };
  hook.enable();
  closing.push(
    () => hook.disable(),
    () => dns.close(),
    () => server.close(),
    () => sockets.forEach((socket) => socket.destroy()),
  );
});
afterAll(async () => {
  for (const close of closing) await close();
});
beforeEach(() => {
  begun = 0;
  arrived.length = 0;
});

function senderFor(allow: string, names: HostLookup = lookup): GuardedSender {
  return createGuardedSender({ guard: webhookGuard(parseWebhookAllow('SVC_WEBHOOK_ALLOW', allow)), lookup: names });
}

function send(sender: GuardedSender, url: string): Promise<SendResult> {
  const written = url.replace('PORT', String(port));
  return sender.send({ url: written, headers: { 'content-type': 'application/json' }, body: '{}' });
}

test('the table has at least 80 different addresses', () => {
  expect(HOSTILE_URLS.length).toBeGreaterThanOrEqual(80);
  expect(new Set(HOSTILE_URLS).size).toBe(HOSTILE_URLS.length);
});

test.each(HOSTILE_URLS)('nothing is sent to %j', async (url) => {
  const result = await send(senderFor(''), url);
  expect(result).toMatchObject({ ok: false, reason: 'blocked', status: null });
  expect(begun).toBe(0);
  expect(arrived).toEqual([]);
});

test.each(HOSTILE_URLS)('a webhook to %j cannot be created', async (url) => {
  const guard = webhookGuard(parseWebhookAllow('SVC_WEBHOOK_ALLOW', ''));
  expect(await refuseNow(url.replace('PORT', String(port)), guard, lookup)).toMatch(/\.$/);
  expect(begun).toBe(0);
});

test('with allowed ranges and plain http, the other addresses stay refused', async () => {
  const sender = senderFor('198.51.100.0/24 fd11::/16 http');
  for (const url of HOSTILE_URLS.filter((one) => !/198\.51\.100|^http:\/\/hooks\.public/.test(one)))
    expect(await send(sender, url), url).toMatchObject({ ok: false });
  expect(begun).toBe(0);
});

test('the observer sees connections: if allowed, the same addresses are reached', async () => {
  const sender = senderFor('127.0.0.0/8 ::1 0.0.0.0 :: ::ffff:0:0/96');
  const own = HOSTILE_URLS.filter((url) => OWN.test(url));
  expect(own.length).toBeGreaterThanOrEqual(7);
  for (const url of own)
    expect(await send(sender, url.replace('https:', 'http:')), url).toMatchObject({ ok: false, reason: 'redirect' });
  // One each: redirections lead to the same listener and are not followed.
  expect(arrived).toHaveLength(own.length);
  expect(begun).toBe(own.length);
});

test('a name that resolves to a private address at delivery is refused then', async () => {
  const guard = webhookGuard(parseWebhookAllow('SVC_WEBHOOK_ALLOW', ''));
  const url = `https://rebound.hostile.example:${port}/`;
  expect(await refuseNow(url, guard, lookup)).toBe(null);
  expect(await send(senderFor(''), url)).toMatchObject({ ok: false, reason: 'blocked' });
  expect(dns.asked.filter((name) => name === 'rebound.hostile.example')).toHaveLength(2);
  expect(begun).toBe(0);
});

test('a name is resolved once per request, and the connection goes to the checked address', async () => {
  const answers = [['127.0.0.2'], ['127.0.0.1']];
  const sender = senderFor('127.0.0.2', async () => answers.shift() ?? []);
  const url = 'http://rebound.example:PORT/';
  expect(await send(sender, url)).toMatchObject({ ok: false, reason: 'redirect' });
  expect(arrived).toEqual(['::ffff:127.0.0.2']);
  expect(await send(sender, url)).toMatchObject({ ok: false, reason: 'blocked' });
  expect(begun).toBe(1);
});

test('an unknown name is accepted for a webhook and fails at delivery', async () => {
  const guard = webhookGuard(parseWebhookAllow('SVC_WEBHOOK_ALLOW', ''));
  const url = 'https://not-yet.public.example/secret';
  expect(await refuseNow(url, guard, lookup)).toBe(null);
  const result = await send(senderFor(''), url);
  expect(result).toMatchObject({ ok: false, reason: 'dns', message: expect.not.stringContaining('secret') });
  expect(begun).toBe(0);
});
