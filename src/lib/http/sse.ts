import { ByteMemo } from '../json/byte-memo.ts';

/** Receives the parts of an event stream. */
export interface SseSink {
  /** Receives part of the data of the current event: `bytes[start, end)`, valid during the call only. */
  data(bytes: Uint8Array, start: number, end: number): void;
  /** The event is over; `at` is the index behind its blank line in the piece. `name` = its `event:` field, '' = none. */
  dispatch(name: string, at: number): void;
}

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
const DATA_FIELD = new TextEncoder().encode('data:');
const EVENT_FIELD = new TextEncoder().encode('event:');
const LINE_BREAK = Uint8Array.of(LF);
/** Longer field names than `event`, and longer event names than any provider's, are cut: they match nothing. */
const FIELD_CHARS_MAX = 6;
const NAME_CHARS_MAX = 64;

/** Position of the next byte in its line. */
const LINE_START = 0;
const IN_FIELD = 1;
const VALUE_START = 2;
const IN_VALUE = 3;

/**
 * Splits a server-sent event stream pushed in pieces torn anywhere; lines may end with LF, CRLF or CR. Data goes to the
 * sink as it comes and is never collected, so that an event may have any size.
 * Rules: HTML standard, "Server-sent events", except that an event cut off by the stream's end counts.
 */
export class SseSplitter {
  readonly #sink: SseSink;
  #state = LINE_START;
  #field = '';
  #name = '';
  readonly #lastName = new ByteMemo<string>();
  /** The event has a line of data already: the next is joined by a line break. */
  #hasData = false;
  #lineIsData = false;
  #afterCr = false;

  constructor(sink: SseSink) {
    this.#sink = sink;
  }

  push(bytes: Uint8Array): void {
    const end = bytes.length;
    let at = 0;
    if (this.#afterCr && end > 0) {
      this.#afterCr = false;
      if (bytes[0] === LF) at = 1;
    }
    while (at < end) {
      if (this.#state === LINE_START) at = this.#beginLine(bytes, at, end);
      else if (this.#state === IN_FIELD) at = this.#readField(bytes, at, end);
      else if (this.#state === VALUE_START) at = this.#beginValue(bytes, at);
      else at = this.#readValue(bytes, at, end);
    }
  }

  /** Name of the current event, as far as known; '' = none yet. */
  get name(): string {
    return this.#name;
  }

  /** The stream has ended. */
  end(): void {
    if (this.#hasData || this.#name !== '') this.#dispatch(0);
  }

  #beginLine(bytes: Uint8Array, at: number, end: number): number {
    const byte = bytes[at]!;
    if (byte === LF || byte === CR) {
      const next = this.#endLine(bytes, at, end);
      this.#dispatch(next);
      return next;
    }
    // The piece nearly always contains the whole field name; otherwise read it byte by byte.
    if (beginsWith(DATA_FIELD, bytes, at, end)) return this.#takeField('data', at);
    if (beginsWith(EVENT_FIELD, bytes, at, end)) return this.#takeField('event', at);
    this.#field = '';
    this.#state = IN_FIELD;
    return at;
  }

  #takeField(field: string, at: number): number {
    this.#field = field;
    this.#state = VALUE_START;
    return at + field.length + 1;
  }

  #readField(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    for (; at < end; at++) {
      const byte = bytes[at]!;
      if (byte === LF || byte === CR) return this.#endLine(bytes, at, end);
      if (byte === COLON) {
        this.#state = VALUE_START;
        return at + 1;
      }
      if (this.#field.length < FIELD_CHARS_MAX) this.#field += String.fromCharCode(byte);
    }
    return at;
  }

  #beginValue(bytes: Uint8Array, at: number): number {
    this.#state = IN_VALUE;
    this.#lineIsData = this.#field === 'data';
    if (this.#lineIsData) {
      if (this.#hasData) this.#sink.data(LINE_BREAK, 0, 1);
      this.#hasData = true;
    } else if (this.#field === 'event') this.#name = '';
    return bytes[at] === SPACE ? at + 1 : at;
  }

  #readValue(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    let byte = 0;
    while (at < end && (byte = bytes[at]!) !== LF && byte !== CR) at++;
    if (at > start) {
      if (this.#lineIsData) this.#sink.data(bytes, start, at);
      else if (this.#field === 'event') this.#readName(bytes, start, at);
    }
    return at === end ? end : this.#endLine(bytes, at, end);
  }

  /** Names repeat from event to event: one that is whole and the same as the last is not decoded again. */
  #readName(bytes: Uint8Array, start: number, end: number): void {
    if (this.#name === '' && this.#lastName.holds(bytes, start, end)) this.#name = this.#lastName.value ?? '';
    else {
      const torn = this.#name !== '';
      for (let at = start; at < end && this.#name.length < NAME_CHARS_MAX; at++)
        this.#name += String.fromCharCode(bytes[at]!);
      if (!torn) this.#lastName.keep(bytes, start, end, this.#name);
    }
  }

  /** Passes a line's end: LF, CR, or both. */
  #endLine(bytes: Uint8Array, at: number, end: number): number {
    this.#state = LINE_START;
    if (bytes[at] === LF) return at + 1;
    if (at + 1 === end) this.#afterCr = true;
    return bytes[at + 1] === LF ? at + 2 : at + 1;
  }

  #dispatch(at: number): void {
    const name = this.#name;
    this.#name = '';
    this.#hasData = false;
    this.#sink.dispatch(name, at);
  }
}

function beginsWith(field: Uint8Array, bytes: Uint8Array, at: number, end: number): boolean {
  if (end - at < field.length) return false;
  for (let n = 0; n < field.length; n++) if (bytes[at + n] !== field[n]) return false;
  return true;
}
