import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands between a client and a server, as a load balancer or a network does. */
export interface Forwarder {
  readonly port: number;
  /** Sends new connections to another port. Open ones stay. */
  to(port: number): void;
  /**
   * Loses the next bytes, and all later ones of that connection, without closing it. Resolves when it has lost the first.
   * Other connections are not affected.
   */
  loseNext(): Promise<void>;
  close(): void;
}

export async function startForwarder(target: number): Promise<Forwarder> {
  let port = target;
  let onLost: (() => void) | null = null;
  const sockets = new Set<Socket>();
  const pass = (from: Socket, into: Socket, line: { isLost: boolean }): void => {
    sockets.add(from);
    from.on('data', (bytes) => {
      if (onLost) {
        line.isLost = true;
        onLost();
        onLost = null;
      }
      if (!line.isLost) into.write(bytes);
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      sockets.delete(from);
      if (!line.isLost) into.destroy();
    });
  };
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    const line = { isLost: false };
    pass(client, upstream, line);
    pass(upstream, client, line);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    to(next) {
      port = next;
    },
    loseNext: () => new Promise((resolve) => (onLost = resolve)),
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
