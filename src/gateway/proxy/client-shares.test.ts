import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { type AddressRange, parseAddressRange } from '../../domain/identity/address-range.ts';
import { ClientShares } from './client-shares.ts';

function rangeOf(text: string): AddressRange {
  const range = parseAddressRange(text);
  if (!range) throw new Error(`${text} is no range.`);
  return range;
}

function clientsOf(connectionsPerAddressMax: number, ...trusted: string[]): ClientShares {
  return new ClientShares({ connectionsPerAddressMax, trustedProxies: trusted.map(rangeOf) });
}

function socketFrom(remoteAddress: string): Socket {
  return Object.assign(new EventEmitter(), { remoteAddress }) as unknown as Socket;
}

function request(socket: Socket, forwardedFor?: string) {
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
  return [{ socket, headers } as IncomingMessage, new EventEmitter() as ServerResponse] as const;
}

test('one address gets its share of connections and no more, and others get theirs', () => {
  const clients = clientsOf(2);
  const first = socketFrom('192.0.2.1');
  expect(clients.connect(first)).toBe(true);
  expect(clients.connect(socketFrom('::ffff:192.0.2.1'))).toBe(true);
  expect(clients.connect(socketFrom('192.0.2.1'))).toBe(false);
  expect(clients.connect(socketFrom('192.0.2.2'))).toBe(true);
  first.emit('close');
  expect(clients.connect(socketFrom('192.0.2.1'))).toBe(true);
});

test('addresses of one IPv6 network of 64 bits are one client', () => {
  const clients = clientsOf(1);
  expect(clients.connect(socketFrom('2001:db8::1'))).toBe(true);
  expect(clients.connect(socketFrom('2001:db8::ffff:2'))).toBe(false);
  expect(clients.connect(socketFrom('2001:db8:0:1::1'))).toBe(true);
});

test('a trusted proxy has no share, and each address that it names has a share of requests', () => {
  const clients = clientsOf(1, '10.0.0.0/8');
  const proxies = Array.from({ length: 5 }, () => socketFrom('10.0.0.1'));
  expect(proxies.map((socket) => clients.connect(socket))).toEqual([true, true, true, true, true]);
  const [proxy = socketFrom('')] = proxies;
  const [req, res] = request(proxy, '192.0.2.1');
  expect(clients.find(req, res).name).toBe(clients.find(...request(proxy, '192.0.2.2')).name.replace(/2$/, '1'));
  expect(() => clients.find(...request(proxy, '192.0.2.1'))).toThrow('1 requests from 192.0.2.1 are open');
  res.emit('close');
  expect(clients.find(...request(proxy, '192.0.2.1'))).toMatchObject({ open: 1 });
});

test('without trusted proxies the header for client addresses is ignored', () => {
  const clients = clientsOf(1);
  const socket = socketFrom('192.0.2.1');
  clients.connect(socket);
  const one = clients.find(...request(socket, '198.51.100.1'));
  expect(clients.find(...request(socket, '198.51.100.2'))).toBe(one);
});

test('an address that disconnected while its calls continue is charged for them until they end', () => {
  const clients = clientsOf(1);
  const socket = socketFrom('192.0.2.1');
  clients.connect(socket);
  const client = clients.find(...request(socket));
  client.connections = 1;
  socket.emit('close');
  const again = socketFrom('192.0.2.1');
  clients.connect(again);
  expect(clients.find(...request(again))).toBe(client);
  again.emit('close');
  expect(clients.size).toBe(1);
  client.connections = 0;
  client.connectionReleased?.();
  expect(clients.size).toBe(0);
});

test('addresses without open connections are forgotten', () => {
  const clients = clientsOf(1, '10.0.0.1');
  const proxy = socketFrom('10.0.0.1');
  clients.connect(proxy);
  for (let host = 0; host < 200; host += 1) {
    const socket = socketFrom(`192.0.2.${host}`);
    clients.connect(socket);
    socket.emit('close');
    const [req, res] = request(proxy, `198.51.100.${host}`);
    clients.find(req, res);
    res.emit('close');
  }
  expect(clients.size).toBe(0);
});
