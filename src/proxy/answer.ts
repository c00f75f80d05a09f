import type { ServerResponse } from 'node:http';
import type { FlatHeaders } from './headers.ts';

/** An answer up to this size goes out in one write with its head, which then can carry the cost. */
const WHOLE_BYTES_MAX = 64 * 1024;

/**
 * The client's side of one answer. Pieces are written as they come, except the last, which waits for the call's end to
 * be in the journal; a short answer that is no stream waits as a whole.
 */
export class Answer {
  readonly #res: ServerResponse;
  #status = 0;
  #headers: FlatHeaders = [];
  /** Length of the body as the provider gave it; null = it gave none, or it is not this body's. */
  #length: string | null = null;
  /** A stream's pieces go out at once; other answers lag one piece behind, for any piece may be the last. */
  #streaming = false;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #bodyBegun = false;
  #stopped = false;

  constructor(res: ServerResponse, onDrained: () => void) {
    this.#res = res;
    res.on('drain', onDrained);
  }

  open(status: number, headers: FlatHeaders, length: string | null, streaming: boolean): void {
    this.#status = status;
    this.#headers = headers;
    this.#length = length;
    this.#streaming = streaming;
    if (streaming) {
      this.#writeHead();
      // The head usually travels with the first piece; where that takes its time, the head goes ahead.
      setImmediate(() => this.#flushHead());
    }
  }

  get headSent(): boolean {
    return this.#res.headersSent;
  }

  /** Takes a piece. Returns false when the client reads too slowly: wait for `onDrained`. */
  write(piece: Uint8Array): boolean {
    if (this.#stopped) return true;
    if (this.#streaming) return this.#send(piece);
    let flowing = true;
    if (this.headSent || this.#heldBytes + piece.length > WHOLE_BYTES_MAX) {
      this.#writeHead();
      for (const earlier of this.#takeHeld()) flowing = this.#send(earlier);
    }
    this.hold(piece);
    return flowing;
  }

  /** Keeps a piece back until `release`. */
  hold(piece: Uint8Array): void {
    if (this.#stopped) return;
    this.#held.push(piece);
    this.#heldBytes += piece.length;
  }

  /** The call's end is in the journal: what was held goes out and the stream may go on. */
  release(): void {
    if (this.#stopped) return;
    this.#writeHead();
    for (const piece of this.#takeHeld()) this.#send(piece);
    this.#streaming = true;
  }

  /** Releases and finishes. `extra` headers are added where the head is still unsent. */
  finish(extra: FlatHeaders): void {
    if (this.#stopped) return;
    if (this.headSent) {
      for (const piece of this.#takeHeld()) this.#send(piece);
      this.#res.end();
      return;
    }
    const bytes = this.#heldBytes;
    const held = this.#takeHeld();
    const [first] = held;
    const body = held.length === 1 && first ? first : Buffer.concat(held, bytes);
    this.#headers.push(...extra);
    // These statuses have no body, and a length of 0 would be a lie about the one a GET would have.
    this.#length = this.#status === 204 || this.#status === 304 ? null : String(bytes);
    this.#writeHead();
    this.#res.end(body);
  }

  /** The provider's answer broke after its head went out: the client must see that it is not whole. */
  breakOff(): void {
    this.#stopped = true;
    this.#takeHeld();
    this.#res.destroy();
  }

  /** The client is gone: nothing more is written. */
  stop(): void {
    this.#stopped = true;
    this.#takeHeld();
  }

  #writeHead(): void {
    if (this.headSent) return;
    if (this.#length !== null) this.#headers.push('content-length', this.#length);
    this.#res.writeHead(this.#status, this.#headers);
  }

  #flushHead(): void {
    // What is held goes out with the head in a moment.
    const waits = this.#bodyBegun || this.#heldBytes > 0 || this.#res.writableEnded || this.#stopped;
    if (!waits) this.#res.flushHeaders();
  }

  #send(piece: Uint8Array): boolean {
    if (piece.length === 0) return true;
    this.#bodyBegun = true;
    return this.#res.write(piece);
  }

  #takeHeld(): Uint8Array[] {
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    return held;
  }
}
