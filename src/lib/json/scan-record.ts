import { OPEN_OBJECT, parseSlice, QUOTE } from './bytes.ts';

/** Values that are read are short words and numbers; a longer one is `UNREAD`. */
const VALUE_BYTES_MAX = 4_096;
/** Value that is too long to be read. */
const UNREAD = Symbol('unread');
/** Replaces a text that is present but not understood. No reader knows this word, so each assumes the most expensive meaning. */
export const UNCLEAR = '?';
/** Begins `true` and no other value. */
const LETTER_T = 0x74;
const NO_BYTES = new Uint8Array();
const ABSENT = -1;

/** `[start, end)` of a value. */
export interface ByteSpan {
  start: number;
  end: number;
}

/** Values of a scanned document, by path. */
export abstract class ScanValues {
  /** The document. */
  abstract readonly bytes: Uint8Array;

  abstract find(path: string): Readonly<ByteSpan> | undefined;

  /** The member's value; undefined = absent. */
  value(path: string): unknown {
    const found = this.find(path);
    if (!found) return undefined;
    return found.end - found.start <= VALUE_BYTES_MAX ? parseSlice(this.bytes, found.start, found.end) : UNREAD;
  }

  /** The member is `true`. */
  isTrue(path: string): boolean {
    const found = this.find(path);
    return found !== undefined && this.bytes[found.start] === LETTER_T;
  }

  /** The member is an object. */
  isObject(path: string): boolean {
    const found = this.find(path);
    return found !== undefined && this.bytes[found.start] === OPEN_OBJECT;
  }

  /** The member is there with a value other than null and false. */
  uses(path: string): boolean {
    const found = this.find(path);
    if (!found) return false;
    const value = this.value(path);
    return value !== null && value !== false;
  }

  /** The member is this text of plain characters, written without escapes. */
  says(path: string, word: string): boolean {
    const found = this.find(path);
    if (!found || found.end - found.start !== word.length + 2 || this.bytes[found.start] !== QUOTE) return false;
    for (let at = 0; at < word.length; at++) if (this.bytes[found.start + 1 + at] !== word.charCodeAt(at)) return false;
    return true;
  }

  /** A whole number from 0 up; null = absent or something else. */
  count(path: string): number | null {
    const value = this.value(path);
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
  }

  /** A text; null = absent or null. What is empty, too long or no text is `UNCLEAR`. */
  text(path: string): string | null {
    const value = this.value(path);
    if (value === undefined || value === null) return null;
    return typeof value === 'string' && value !== '' ? value : UNCLEAR;
  }
}

/** An object of a list that the plan looks into. It is used again for the next one: nothing may keep it. */
export class ScanRecord extends ScanValues {
  readonly kind: string;
  bytes: Uint8Array = NO_BYTES;
  /** Place of its opening brace. */
  brace = ABSENT;
  /** Members that the plan doesn't name. */
  strangers = 0;
  /** Spans by place. */
  readonly spans: readonly ByteSpan[];
  readonly #places: ReadonlyMap<string, number>;

  constructor(kind: string, places: ReadonlyMap<string, number>) {
    super();
    this.kind = kind;
    this.spans = Array.from(places, () => ({ start: ABSENT, end: ABSENT }));
    this.#places = places;
  }

  find(path: string): Readonly<ByteSpan> | undefined {
    const span = this.spans[this.#places.get(path) ?? ABSENT];
    return span === undefined || span.start === ABSENT ? undefined : span;
  }

  clear(): void {
    this.bytes = NO_BYTES;
    this.strangers = 0;
    for (const span of this.spans) span.start = ABSENT;
  }
}
