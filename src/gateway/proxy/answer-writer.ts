import type { ServerResponse } from 'node:http';
import type { FlatHeaders } from './headers.ts';

/** No more is held. An answer up to this size goes out in one write with its head, which then can carry the cost. */
const HELD_BYTES_MAX = 64 * 1024;
/** The head of a stream travels with its first piece; where that takes longer than this, the head goes ahead. */
const HEAD_ALONE_MS = 5;

/**
 * The client's side of one answer. What comes in one turn of the event loop is written at its end, in one piece: a write
 * costs more than all else that is done with it. The last piece, and what came with it, waits for the call's end to be
 * in the journal; a short answer that is no stream waits as a whole.
 */
export class AnswerWriter {
  readonly #res: ServerResponse;
  #status = 0;
  #headers: FlatHeaders = [];
  /** Length of the body as the provider gave it; null = it gave none, or it is not this body's. */
  #length: string | null = null;
  /** A stream's pieces go out in their turn; other answers lag one piece behind, for any piece may be the last. */
  #streaming = false;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  /** What is held stays so until the call's end is in the journal. */
  #waits = false;
  #bodyBegun = false;
  /** The client takes more. */
  #flowing = true;
  #stopped = false;

  constructor(res: ServerResponse, onDrained: () => void) {
    this.#res = res;
    res.on('drain', () => {
      this.#flowing = true;
      onDrained();
    });
  }

  open(status: number, headers: FlatHeaders, length: string | null, streaming: boolean): void {
    this.#status = status;
    this.#headers = headers;
    this.#length = length;
    this.#streaming = streaming;
    if (!streaming) return;
    this.#writeHead();
    setTimeout(headAlone, HEAD_ALONE_MS, this);
  }

  get headSent(): boolean {
    return this.#res.headersSent;
  }

  /** Takes a piece. Returns false when the client reads too slowly: wait for `onDrained`. */
  write(piece: Uint8Array): boolean {
    if (this.#stopped) return true;
    if (this.#streaming) {
      if (this.#heldBytes === 0) process.nextTick(endTurn, this);
    } else if (this.headSent || this.#heldBytes + piece.length > HELD_BYTES_MAX) this.#send();
    this.#hold(piece);
    if (this.#streaming && this.#heldBytes > HELD_BYTES_MAX) this.#send();
    return this.#flowing;
  }

  /** Keeps a piece back until `release`, and those of this turn with it. */
  hold(piece: Uint8Array): void {
    if (this.#stopped) return;
    this.#waits = true;
    this.#hold(piece);
  }

  /** Nothing more comes in this turn. */
  endTurn(): void {
    if (!this.#waits && !this.#stopped) this.#send();
  }

  /** The first piece has not come in time. */
  headAlone(): void {
    const isOver = this.#bodyBegun || this.#heldBytes > 0 || this.#res.writableEnded || this.#stopped;
    if (!isOver) this.#res.flushHeaders();
  }

  /** The call's end is in the journal: what was held goes out and the stream may go on. */
  release(): void {
    if (this.#stopped) return;
    this.#send();
    this.#waits = false;
    this.#streaming = true;
  }

  /** Releases and finishes. `extra` headers are added where the head is still unsent. */
  finish(extra: FlatHeaders): void {
    if (this.#stopped) return;
    if (!this.headSent) {
      this.#headers.push(...extra);
      // These statuses have no body, and a length of 0 would be a lie about the one a GET would have.
      this.#length = this.#status === 204 || this.#status === 304 ? null : String(this.#heldBytes);
      this.#writeHead();
    }
    this.#res.end(this.#heldBytes > 0 ? this.#takeHeld() : undefined);
  }

  /** The provider's answer broke after its head went out: the client must see that it is not whole. */
  breakOff(): void {
    this.stop();
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

  #hold(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#held.push(piece);
    this.#heldBytes += piece.length;
  }

  #send(): void {
    this.#writeHead();
    if (this.#heldBytes === 0) return;
    this.#bodyBegun = true;
    this.#flowing = this.#res.write(this.#takeHeld());
  }

  #takeHeld(): Uint8Array {
    const held = this.#held;
    const [only] = held;
    const bytes = held.length === 1 && only ? only : Buffer.concat(held, this.#heldBytes);
    this.#held = [];
    this.#heldBytes = 0;
    return bytes;
  }
}

function endTurn(answer: AnswerWriter): void {
  answer.endTurn();
}

function headAlone(answer: AnswerWriter): void {
  answer.headAlone();
}
