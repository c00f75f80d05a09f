import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';

/** A window of 8 MiB, the most that a sender may use (RFC 9659). By default the decoder accepts 128 MiB. */
const ZSTD = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };

/**
 * The content encodings that the gateway reads, in requests and answers. It is a map, because clients may send any
 * name, including names that every object inherits.
 */
export const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['deflate', () => createInflate()],
  ['br', () => createBrotliDecompress()],
  ['zstd', () => createZstdDecompress(ZSTD)],
]);

/** Decodes a copy of an encoded answer, piece by piece. */
export class AnswerDecoder {
  readonly #stream: Transform;
  #failed = false;
  /** The encoded data has ended. More bytes may follow; the stream takes them without saying so. */
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

  /** Opens a decoder; null = unknown encoding. */
  static open(encoding: string, onDecoded: (piece: Uint8Array) => void): AnswerDecoder | null {
    const create = DECODERS.get(encoding);
    return create ? new AnswerDecoder(create(), onDecoded) : null;
  }

  /** Reports that the bytes were invalid in their encoding, or ended too early. */
  get failed(): boolean {
    return this.#failed;
  }

  /**
   * Reports that the last piece, or the end, is still being decoded. Nothing more may come until its `next` has run.
   */
  get busy(): boolean {
    return this.#waiting !== null;
  }

  /** Decodes a piece. `next` runs after all of its output was passed to `onDecoded`. */
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

  /** Waits until the output is read, since a write finishes before that. */
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
