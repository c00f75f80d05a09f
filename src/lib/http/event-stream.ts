import { crc32 } from 'node:zlib';

/** Media type of streams of AWS. */
export const EVENT_MESSAGES_TYPE = 'application/vnd.amazon.eventstream';

/** Receives the messages of such a stream. */
export interface EventMessageSink {
  /** Receives one message. Its payload is valid during the call only. */
  message(headers: EventHeaders, payload: Uint8Array): void;
}

/** Headers with a text, by name. Others (flags, numbers, times) are left out. */
export type EventHeaders = ReadonlyMap<string, string>;

/** Lengths of message and headers, and their checksum. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
/** Providers send a few kilobytes in one message. */
const MESSAGE_BYTES_MAX = 1_048_576;
const TEXT_TYPE = 7;
const BYTES_TYPE = 6;
/** Bytes of a value by its type, where the type decides it. */
const VALUE_BYTES: ReadonlyMap<number, number> = new Map([
  [0, 0],
  [1, 0],
  [2, 1],
  [3, 2],
  [4, 4],
  [5, 8],
  [8, 8],
  [9, 16],
]);

/**
 * Splits such a stream, pushed in pieces torn anywhere. One message is collected at a time, because the libraries that
 * decode messages take whole ones only. The checksum of the lengths is checked; that of the message is for its client.
 */
export class EventStreamSplitter {
  readonly #sink: EventMessageSink;
  readonly #prelude = new Uint8Array(PRELUDE_BYTES);
  /** null = the prelude is being read. */
  #message: Uint8Array | null = null;
  #filled = 0;
  #broken = false;

  constructor(sink: EventMessageSink) {
    this.#sink = sink;
  }

  /** The bytes are no such stream, or a message was too long to read. Nothing after it is read. */
  get broken(): boolean {
    return this.#broken;
  }

  push(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length && !this.#broken) {
      const into = this.#message ?? this.#prelude;
      const count = Math.min(bytes.length - at, into.length - this.#filled);
      into.set(bytes.subarray(at, at + count), this.#filled);
      this.#filled += count;
      at += count;
      if (this.#filled === into.length) this.#close(into);
    }
  }

  /** Takes a complete prelude or message. */
  #close(bytes: Uint8Array): void {
    if (bytes === this.#prelude) return this.#open();
    this.#message = null;
    this.#filled = 0;
    const headersEnd = PRELUDE_BYTES + toView(bytes).getUint32(4);
    const headers = readHeaders(bytes, headersEnd);
    if (headers === null) this.#broken = true;
    else this.#sink.message(headers, bytes.subarray(headersEnd, bytes.length - CHECKSUM_BYTES));
  }

  #open(): void {
    const view = toView(this.#prelude);
    const [total, headers] = [view.getUint32(0), view.getUint32(4)];
    const isWhole = view.getUint32(8) === crc32(this.#prelude.subarray(0, PRELUDE_BYTES - CHECKSUM_BYTES));
    if (!isWhole || total > MESSAGE_BYTES_MAX || total < PRELUDE_BYTES + headers + CHECKSUM_BYTES) {
      this.#broken = true;
      return;
    }
    this.#message = new Uint8Array(total);
    // The prelude is its beginning, and `#filled` stays.
    this.#message.set(this.#prelude);
  }
}

function toView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Returns null if the headers do not end at `end`. */
function readHeaders(bytes: Uint8Array, end: number): EventHeaders | null {
  const headers = new Map<string, string>();
  const view = toView(bytes);
  let at = PRELUDE_BYTES;
  while (at < end) {
    const nameEnd = at + 1 + (bytes[at] ?? 0);
    if (nameEnd >= end) return null;
    const type = bytes[nameEnd] ?? 0;
    const isLong = type === TEXT_TYPE || type === BYTES_TYPE;
    if (isLong && nameEnd + 3 > end) return null;
    const start = isLong ? nameEnd + 3 : nameEnd + 1;
    const length = isLong ? view.getUint16(nameEnd + 1) : VALUE_BYTES.get(type);
    if (length === undefined || start + length > end) return null;
    if (type === TEXT_TYPE) headers.set(decodeText(bytes, at + 1, nameEnd), decodeText(bytes, start, start + length));
    at = start + length;
  }
  return headers;
}

function decodeText(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
}
