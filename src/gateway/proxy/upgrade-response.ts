import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { ServerResponse } from '../../lib/http/node-http.ts';
import { PROXY_PREFIX } from './address.ts';

/** Reports a request for a WebSocket of a provider. Other upgrades, for example to HTTP/2, are answered as plain requests. */
export function wantsSocket({ method, url, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && (url ?? '').startsWith(PROXY_PREFIX);
}

/** The response to a request for a WebSocket: a refusal, until `accept` gives its connection to the socket. */
export class UpgradeResponse extends ServerResponse {
  /** First bytes behind the request. */
  readonly head: Buffer;
  readonly #connection: Socket;

  constructor(req: IncomingMessage, connection: Socket, head: Buffer) {
    super(req);
    this.head = head;
    this.#connection = connection;
    this.#connection.on('error', endQuietly);
    this.shouldKeepAlive = false;
    this.assignSocket(this.#connection);
    this.once('finish', () => this.#connection.destroySoon());
  }

  /** Gives up the connection. `close` is emitted by `leave`. */
  accept(): Socket {
    this.detachSocket(this.#connection);
    return this.#connection;
  }

  /** Reports that the accepted socket has closed. */
  leave(): void {
    this.emit('close');
  }
}

/** The socket closes after an error, and that is handled. */
function endQuietly(): void {}
