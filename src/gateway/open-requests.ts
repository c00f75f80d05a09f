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
  readonly #open = new WeakMap<Socket, number>();

  constructor(perConnectionMax: number) {
    this.#perConnectionMax = perConnectionMax;
  }

  /** Counts a request until its response closes. A client that sends more after the refusal is disconnected. */
  take({ socket }: IncomingMessage, res: ServerResponse): RequestVerdict {
    if (socket.destroyed) return 'ignore';
    const open = (this.#open.get(socket) ?? 0) + 1;
    this.#open.set(socket, open);
    if (open <= this.#perConnectionMax) {
      res.once('close', () => this.#open.set(socket, (this.#open.get(socket) ?? 1) - 1));
      return 'handle';
    }
    if (open === this.#perConnectionMax + 1) return 'refuse';
    if (open > 2 * this.#perConnectionMax) socket.destroy();
    return 'ignore';
  }
}
