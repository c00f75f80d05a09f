import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Decision on a request: handle it, refuse it and close the connection, or ignore it. */
export type RequestVerdict = 'handle' | 'refuse' | 'ignore';

/**
 * Counts unanswered requests per connection. Node hands over all requests that a client sends without waiting
 * (pipelining) immediately, however many there are. Browsers, SDKs and reverse proxies send the next request after the answer.
 */
export class OpenRequests {
  readonly #perConnectionMax: number;
  readonly #connections = new WeakMap<Socket, ConnectionCount>();

  constructor(perConnectionMax: number) {
    this.#perConnectionMax = perConnectionMax;
  }

  /** Counts a request until its response closes. A client that sends more after the refusal is disconnected. */
  take({ socket }: IncomingMessage, res: ServerResponse): RequestVerdict {
    if (socket.destroyed) return 'ignore';
    const connection = this.#connection(socket);
    connection.open += 1;
    if (connection.open <= this.#perConnectionMax) {
      res.once('close', () => void (connection.open -= 1));
      return 'handle';
    }
    if (connection.open === this.#perConnectionMax + 1) return 'refuse';
    if (connection.open > 2 * this.#perConnectionMax) socket.destroy();
    return 'ignore';
  }

  #connection(socket: Socket): ConnectionCount {
    const known = this.#connections.get(socket);
    if (known) return known;
    const connection = { open: 0 };
    this.#connections.set(socket, connection);
    return connection;
  }
}

interface ConnectionCount {
  /** Requests without an answer. */
  open: number;
}
