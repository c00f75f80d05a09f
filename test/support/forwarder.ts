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
  /** Passes nothing on, in either direction, until `mend`. */
  cut(how: ForwarderCut): void;
  mend(): void;
  close(): void;
}

/**
 * `closes`: open connections are closed, and new ones too. `stalls`: bytes arrive only after `mend`, as a network sends them
 * again. `loses`: connections of before `mend` stay silent, as behind a router that forgot them, until the client closes them.
 */
export type ForwarderCut = 'closes' | 'stalls' | 'loses';

/** One connection through a forwarder. */
class Line {
  readonly #sockets: readonly [Socket, Socket];
  #isLost = false;
  #isCut = false;
  #open = 2;

  /** @param takesNext returns true if this connection loses bytes from now on */
  constructor(client: Socket, upstream: Socket, takesNext: () => boolean, closed: () => void) {
    this.#sockets = [client, upstream];
    for (const [from, into] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('data', (bytes) => {
        this.#isLost ||= takesNext();
        if (!this.#isLost) into.write(bytes);
      });
      from.on('error', () => undefined);
      from.on('close', () => {
        this.#open -= 1;
        if (this.#open === 0) closed();
        // The server finds out that a client is gone, by asking; a client waits for the server.
        if (!this.#isCut && !(this.#isLost && from === upstream)) into.destroy();
      });
    }
  }

  cut(how: ForwarderCut): void {
    this.#isCut = true;
    if (how === 'loses') this.#isLost = true;
    for (const socket of this.#sockets) {
      if (how === 'closes') socket.destroy();
      if (how === 'stalls') socket.pause();
    }
  }

  mend(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) socket.resume();
    if (this.#open < 2) this.close();
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

export async function startForwarder(target: number): Promise<Forwarder> {
  let port = target;
  let onLost: (() => void) | null = null;
  let cut: ForwarderCut | null = null;
  const lines = new Set<Line>();
  const takesNext = (): boolean => {
    const lost = onLost;
    onLost = null;
    lost?.();
    return lost !== null;
  };
  const server = createServer((client) => {
    const line: Line = new Line(client, connect(port, '127.0.0.1'), takesNext, () => lines.delete(line));
    lines.add(line);
    if (cut) line.cut(cut);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    to(next) {
      port = next;
    },
    loseNext: () => new Promise((resolve) => (onLost = resolve)),
    cut(how) {
      cut = how;
      for (const line of lines) line.cut(how);
    },
    mend() {
      cut = null;
      for (const line of lines) line.mend();
    },
    close() {
      server.close();
      for (const line of lines) line.close();
    },
  };
}
