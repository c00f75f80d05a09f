import type { ClientResponse } from './client-response.ts';
import type { FlatHeaders } from './headers.ts';

/**
 * Largest answer that is held. An answer up to this size is sent in one write with its head, which then can carry the
 * cost.
 */
const HELD_BYTES_MAX = 64 * 1024;
/** Longest wait for a stream's first piece, which travels with the head; after that the head is sent alone. */
const HEAD_ALONE_MS = 5;

/** The call whose answer is written. */
export interface AnswerSource {
  /** The client takes more data again. */
  drained(): void;
  /** Returns the headers that are known last. Called right before the head is sent. */
  lastHeaders(): FlatHeaders;
}

/**
 * Writes one answer to the client. All pieces of one turn of the event loop are written together at its end, because
 * a write costs more than everything else. The last piece, and what came with it, waits for the call's end to be in
 * the journal; a short answer that is no stream waits whole.
 */
export class AnswerWriter {
  readonly #res: ClientResponse;
  readonly #source: AnswerSource;
  #status = 0;
  #headers: FlatHeaders = [];
  /** Length of the body as sent by the provider; null = none, or not of this body. */
  #length: string | null = null;
  /** Streams are written in each turn. Other answers lag one piece behind, because any piece may be the last. */
  #streaming = false;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  /** Held pieces wait until the call's end is in the journal. */
  #waits = false;
  #bodyBegun = false;
  /** The client accepts more data. */
  #flowing = true;
  #stopped = false;

  constructor(res: ClientResponse, source: AnswerSource) {
    this.#res = res;
    this.#source = source;
    res.on('drain', () => {
      this.#flowing = true;
      source.drained();
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

  /** Takes a piece. Returns false when the client reads too slowly: wait for `drained`. */
  write(piece: Uint8Array): boolean {
    if (this.#stopped) return true;
    if (this.#streaming) {
      if (this.#heldBytes === 0) process.nextTick(endTurn, this);
    } else if (this.headSent || this.#heldBytes + piece.length > HELD_BYTES_MAX) this.#send();
    this.#hold(piece);
    if (this.#streaming && this.#heldBytes > HELD_BYTES_MAX) this.#send();
    return this.#flowing;
  }

  /** Keeps a piece, and the other pieces of this turn, until `release`. */
  hold(piece: Uint8Array): void {
    if (this.#stopped) return;
    this.#waits = true;
    this.#hold(piece);
  }

  /** Writes the pieces of this turn. */
  endTurn(): void {
    if (!this.#waits && !this.#stopped) this.#send();
  }

  /** Sends the head alone if the first piece is late. */
  headAlone(): void {
    const isOver = this.#bodyBegun || this.#heldBytes > 0 || this.#res.writableEnded || this.#stopped;
    if (!isOver) this.#res.flushHeaders();
  }

  /** Sends the held pieces: the call's end is in the journal. The stream may continue. */
  release(): void {
    if (this.#stopped) return;
    this.#send();
    this.#waits = false;
    this.#streaming = true;
  }

  /** Sends the held pieces and finishes. */
  finish(): void {
    if (this.#stopped) return;
    if (!this.headSent) {
      // These statuses have no body, and a length of 0 would be wrong for the body a GET would have.
      this.#length = this.#status === 204 || this.#status === 304 ? null : String(this.#heldBytes);
      this.#writeHead();
    }
    this.#res.end(this.#heldBytes > 0 ? this.#takeHeld() : undefined);
  }

  /** Interrupts the answer, so that the client sees that it is incomplete. */
  breakOff(): void {
    this.stop();
    this.#res.destroy();
  }

  /** Writes nothing from now on: the client has disconnected. */
  stop(): void {
    this.#stopped = true;
    this.#takeHeld();
  }

  #writeHead(): void {
    if (this.headSent) return;
    this.#headers.push(...this.#source.lastHeaders());
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
