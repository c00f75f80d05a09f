import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';

/** A window of 8 MiB, which a sender may not pass (RFC 9659); left to itself, the decoder takes 128 MiB where told to. */
const ZSTD = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };

/**
 * The content encodings that the gate reads, in requests and in answers. A map: a client may name what every object
 * inherits.
 */
export const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['deflate', () => createInflate()],
  ['br', () => createBrotliDecompress()],
  ['zstd', () => createZstdDecompress(ZSTD)],
]);

/** Decodes an encoded answer on the side, piece by piece. */
export class AnswerDecoder {
  readonly #stream: Transform;
  #failed = false;
  /** What was encoded is over. Bytes may follow it; the stream takes them, and never says that it has. */
  #over = false;
  #waiting: (() => void) | null = null;

  private constructor(stream: Transform, onDecoded: (piece: Uint8Array) => void) {
    this.#stream = stream;
    stream.on('data', onDecoded);
    stream.on('error', () => {
      this.#failed = true;
      this.#proceed();
    });
    stream.on('end', () => {
      this.#over = true;
      this.#proceed();
    });
  }

  /** null = this encoding can't be read. */
  static open(encoding: string, onDecoded: (piece: Uint8Array) => void): AnswerDecoder | null {
    const create = DECODERS.get(encoding);
    return create ? new AnswerDecoder(create(), onDecoded) : null;
  }

  /** The bytes were not what their encoding says, or ended too early. */
  get failed(): boolean {
    return this.#failed;
  }

  /** The last piece, or the end, is still being decoded: nothing more may come until its `next` has run. */
  get busy(): boolean {
    return this.#waiting !== null;
  }

  /** `next` runs when all that this piece decodes to has been handed to `onDecoded`. */
  push(piece: Uint8Array, next: () => void): void {
    if (this.#failed || this.#over) return next();
    this.#waiting = next;
    this.#stream.write(piece, () => this.#whenRead());
  }

  end(next: () => void): void {
    if (this.#failed || this.#over) return next();
    this.#waiting = next;
    this.#stream.end();
  }

  close(): void {
    this.#waiting = null;
    this.#stream.destroy();
  }

  /** A write is done before its last output has been read. */
  #whenRead(): void {
    if (this.#stream.readableLength > 0) setImmediate(() => this.#whenRead());
    else this.#proceed();
  }

  #proceed(): void {
    const next = this.#waiting;
    this.#waiting = null;
    next?.();
  }
}
