import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands between a client and a server, as a load balancer or a network does. */
export interface Forwarder {
  readonly port: number;
  /** Sends new connections to another port. Open ones stay. */
  to(port: number): void;
  /** Loses all that open and new connections send, without closing them, until `heal`. */
  silence(): void;
  heal(): void;
  close(): void;
}

export async function startForwarder(target: number): Promise<Forwarder> {
  let port = target;
  let isSilent = false;
  const sockets = new Set<Socket>();
  const join = (from: Socket, into: Socket): void => {
    sockets.add(from);
    // Bytes that are lost are lost for good: the connection stays unusable, as after an address has moved.
    let isLost = false;
    from.on('data', (bytes) => {
      isLost ||= isSilent;
      if (!isLost) into.write(bytes);
    });
    from.on('error', () => into.destroy());
    from.on('close', () => {
      sockets.delete(from);
      if (!isSilent) into.destroy();
    });
  };
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    join(client, upstream);
    join(upstream, client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    to(next) {
      port = next;
    },
    silence() {
      isSilent = true;
    },
    heal() {
      isSilent = false;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
