import type { Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/**
 * Finds the end of each HTTP/1.1 message on a connection that carries one message at a time. Made for bodies the
 * benchmark knows: a chunked body ends where `0 CRLF CRLF` ends a piece, which our bodies never contain themselves.
 */
export class MessageReader {
  /** First line and headers of the message, lower case. */
  head = '';
  #inBody = false;
  /** Bytes of the body still to come; -1 = chunked. */
  #left = 0;
  readonly #tail = Buffer.alloc(LAST_CHUNK.length);

  /** True = the message is complete, and the reader waits for the next. */
  push(piece: Buffer): boolean {
    if (this.#inBody) return this.#body(piece);
    if (this.head.endsWith(HEAD_END)) this.head = '';
    const before = this.head.length;
    const text = this.head + piece.toString('latin1');
    const end = text.indexOf(HEAD_END);
    if (end < 0) {
      this.head = text;
      return false;
    }
    this.head = text.slice(0, end + HEAD_END.length).toLowerCase();
    this.#inBody = true;
    this.#left = this.head.includes('transfer-encoding: chunked') ? -1 : this.#contentLength();
    return this.#body(piece.subarray(this.head.length - before));
  }

  #contentLength(): number {
    return Number(/\r\ncontent-length: (\d+)/.exec(this.head)?.[1] ?? 0);
  }

  #body(piece: Buffer): boolean {
    const done = this.#left === -1 ? this.#endsChunked(piece) : (this.#left -= piece.length) <= 0;
    if (done) this.#inBody = false;
    return done;
  }

  #endsChunked(piece: Buffer): boolean {
    const { length } = this.#tail;
    const kept = Math.min(piece.length, length);
    this.#tail.copyWithin(0, kept);
    piece.copy(this.#tail, length - kept, piece.length - kept);
    const ends = this.#tail.equals(LAST_CHUNK);
    if (ends) this.#tail.fill(0);
    return ends;
  }
}

/** Calls `onMessage` with the head of each message that has arrived whole. */
export function readMessages(socket: Socket, onMessage: (head: string, lastPiece: Buffer) => void): void {
  const reader = new MessageReader();
  socket.setNoDelay(true);
  socket.on('data', (piece: Buffer) => {
    if (reader.push(piece)) onMessage(reader.head, piece);
  });
}
