import { EventEmitter } from 'node:events';
import type { WebSocket } from 'ws';
import { MESSAGE_END } from '../../lib/http/message-end.ts';
import type { SocketRoute } from '../../providers/provider.ts';
import type { ClientResponse, HeadersToSend } from './client-response.ts';

/** Bytes that wait for a slow client; above it, the provider is paused. */
const BUFFERED_BYTES_MAX = 64 * 1024;
const NO_BODY = Buffer.alloc(0);

/** Parts of a socket that its responses use. */
export interface FrameTarget {
  readonly client: WebSocket;
  readonly route: SocketRoute;
  /** Stream that the response belongs to; null = it has none. */
  readonly streamId: string | null;
  /** Error for a response that broke off, in the provider's format. */
  renderBreak(): string;
}

/**
 * A response on a WebSocket: each message of the provider becomes a message to the client, and a refusal becomes an error
 * message, after which the socket can still be used.
 */
export class FrameResponse extends EventEmitter implements ClientResponse {
  headersSent = false;
  destroyed = false;
  writableEnded = false;
  writableFinished = false;
  readonly #target: FrameTarget;
  #status = 0;
  #headers: Readonly<Record<string, string>> = {};
  /** Messages that the system has not taken yet. */
  #unsent = 0;
  #isFull = false;
  #closed = false;

  constructor(target: FrameTarget) {
    super();
    this.#target = target;
  }

  /** Does nothing: messages have no headers, so warnings about tags are not sent. */
  appendHeader(): this {
    return this;
  }

  writeHead(status: number, headers: HeadersToSend = {}): this {
    this.headersSent = true;
    this.#status = status;
    if (!Array.isArray(headers)) this.#headers = toTexts(headers);
    return this;
  }

  flushHeaders(): void {}

  write(piece: Uint8Array): boolean {
    let from = 0;
    for (let end = piece.indexOf(MESSAGE_END); end >= 0; end = piece.indexOf(MESSAGE_END, from)) {
      this.#send(piece.subarray(from, end));
      from = end + 1;
    }
    return !this.#isFull;
  }

  end(body: Uint8Array | string = NO_BODY): this {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    this.writableEnded = true;
    // Messages of the provider have an end mark; an error of the gateway is a plain JSON document.
    if (bytes.includes(MESSAGE_END)) this.write(bytes);
    else if (this.#status >= 300) this.#send(this.#renderError(bytes));
    if (this.#unsent === 0) process.nextTick(() => this.#finish());
    return this;
  }

  /** Reports that the response broke off. The socket to the provider is gone then, and the client's closes too. */
  destroy(): this {
    if (this.#closed) return this;
    this.#send(Buffer.from(this.#target.renderBreak()));
    this.leave();
    return this;
  }

  /** Ends the response because its client disconnected, or because it broke off. */
  leave(): void {
    this.destroyed = true;
    this.#close();
  }

  #finish(): void {
    if (this.#closed) return;
    this.writableFinished = true;
    this.#close();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.emit('close');
  }

  #send(message: Uint8Array): void {
    const { client } = this.#target;
    this.#unsent += 1;
    client.send(message, { binary: false }, () => this.#sent());
    this.#isFull ||= client.bufferedAmount > BUFFERED_BYTES_MAX;
  }

  #sent(): void {
    this.#unsent -= 1;
    if (this.#isFull && this.#target.client.bufferedAmount <= BUFFERED_BYTES_MAX) {
      this.#isFull = false;
      this.emit('drain');
    }
    if (this.writableEnded && this.#unsent === 0) this.#finish();
  }

  #renderError(body: Uint8Array): Buffer {
    const { route, streamId } = this.#target;
    const error = { status: this.#status, headers: this.#headers, body: Buffer.from(body).toString() };
    return Buffer.from(route.renderError(error, streamId));
  }
}

function toTexts(headers: Readonly<Record<string, string | number>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
