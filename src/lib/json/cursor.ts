import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  endsScalar,
  isSpace,
  OPEN_ARRAY,
  OPEN_OBJECT,
  parseSlice,
  QUOTE,
} from './bytes.ts';

/** Bytes that are not the JSON that a reader asked for. */
export class JsonCursorError extends Error {}

/**
 * Walks through a JSON document without building it, each byte once. Values that are skipped are only delimited: who reads them
 * checks them.
 */
export class JsonCursor {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Yields the names of an object's members. The caller moves past each value before it asks for the next name. */
  *members(): Generator<string> {
    this.#expect(OPEN_OBJECT);
    if (this.#takes(CLOSE_OBJECT)) return;
    do {
      const name = this.skip();
      const text = parseSlice(this.#bytes, name.start, name.end);
      if (typeof text !== 'string') throw new JsonCursorError('has a member without a name');
      this.#expect(COLON);
      yield text;
    } while (this.#continues(CLOSE_OBJECT));
  }

  /** Yields once before each element of a list. The caller moves past each before it asks for the next. */
  *elements(): Generator<undefined> {
    this.#expect(OPEN_ARRAY);
    if (this.#takes(CLOSE_ARRAY)) return;
    do yield;
    while (this.#continues(CLOSE_ARRAY));
  }

  /** Moves past a value. Returns its place: `bytes[start, end)`. */
  skip(): { readonly start: number; readonly end: number } {
    this.#skipSpace();
    const start = this.#at;
    const first = this.#bytes[start];
    if (first === QUOTE) this.#at = this.#stringEnd(start);
    else if (first === OPEN_OBJECT || first === OPEN_ARRAY) this.#at = this.#containerEnd(start);
    else while (this.#at < this.#bytes.length && !endsScalar(this.#bytes[this.#at]!)) this.#at++;
    if (this.#at === start) throw new JsonCursorError('lacks a value');
    return { start, end: this.#at };
  }

  /** Throws unless nothing follows the document. */
  end(): void {
    this.#skipSpace();
    if (this.#at < this.#bytes.length) throw new JsonCursorError('has something after its end');
  }

  #continues(close: number): boolean {
    if (this.#takes(close)) return false;
    this.#expect(COMMA);
    return true;
  }

  #takes(byte: number): boolean {
    this.#skipSpace();
    if (this.#bytes[this.#at] !== byte) return false;
    this.#at += 1;
    return true;
  }

  #expect(byte: number): void {
    if (!this.#takes(byte)) throw new JsonCursorError('is not the JSON that is expected here');
  }

  #skipSpace(): void {
    while (this.#at < this.#bytes.length && isSpace(this.#bytes[this.#at]!)) this.#at++;
  }

  #stringEnd(start: number): number {
    for (let at = start + 1; at < this.#bytes.length; at++) {
      if (this.#bytes[at] === BACKSLASH) at++;
      else if (this.#bytes[at] === QUOTE) return at + 1;
    }
    throw new JsonCursorError('ends inside a text');
  }

  #containerEnd(start: number): number {
    let depth = 0;
    for (let at = start; at < this.#bytes.length; at++) {
      const byte = this.#bytes[at];
      if (byte === QUOTE) at = this.#stringEnd(at) - 1;
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++;
      else if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && --depth === 0) return at + 1;
    }
    throw new JsonCursorError('ends inside an object or a list');
  }
}
