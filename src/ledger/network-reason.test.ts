import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { networkReason } from './network-reason.ts';

/** Sends a request that fails, and returns the reason. */
async function reasonFor(url: string): Promise<string> {
  return await fetch(url).then(
    () => 'no failure',
    (error: unknown) => networkReason(error),
  );
}

test('the reason of a failed request is the cause that the system names, in words', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(await reasonFor(`https://127.0.0.1:${port}/`)).toMatch(/^TLS, the server does not speak it, /);
  server.close();
  await once(server, 'close');
  expect(await reasonFor(`http://127.0.0.1:${port}/`)).toBe('connection refused, ECONNREFUSED');
  // Ports that no request of `fetch` may use.
  expect(await reasonFor('http://127.0.0.1:1/')).toBe('bad port');
});

test('names, certificates and timeouts have reasons of their own, also behind several attempts', () => {
  const coded = (code: string): Error => Object.assign(new Error('details'), { code });
  const failed = (cause: unknown): string => networkReason(new TypeError('fetch failed', { cause }));
  expect(failed(coded('ENOTFOUND'))).toBe('name not found, ENOTFOUND');
  expect(failed(coded('CERT_HAS_EXPIRED'))).toBe('TLS, certificate expired, CERT_HAS_EXPIRED');
  expect(failed(new AggregateError([coded('ECONNREFUSED')], ''))).toBe('connection refused, ECONNREFUSED');
  expect(networkReason(new DOMException('late', 'TimeoutError'))).toBe('no answer in time');
  expect(failed(coded('ESTRANGE'))).toBe('ESTRANGE');
  expect(networkReason('text')).toBe('unknown reason');
});
