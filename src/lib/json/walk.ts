import { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE, SPACE } from './bytes.ts';

const LAST_ASCII = 0x7f;
const DIGIT_ZERO = 0x30;
/** Largest number of digits that is always exact. */
const DIGITS_MAX = 15;
const NULL = new TextEncoder().encode('null');
const TRUE = new TextEncoder().encode('true');

/** Names of members by length; a member is identified by its place among them. */
export type MemberNames = readonly (readonly MemberName[] | undefined)[];

interface MemberName {
  readonly bytes: Uint8Array;
  readonly place: number;
}

/** Results for members with other names, and for the end of an object. */
const OTHER = -1;
export const CLOSED = -2;

export function indexNames(texts: readonly string[]): MemberNames {
  const names: MemberName[][] = [];
  texts.forEach((text, place) => {
    const bytes = new TextEncoder().encode(text);
    (names[bytes.length] ??= []).push({ bytes, place });
  });
  return names;
}

/**
 * Walks through JSON as programs write it: without blanks, and without escapes in requested values. Everything else ends
 * the walk as `lost`: that text is for a parser. Skipped values are followed by brackets and quotes.
 */
export class JsonWalk {
  /** The text is none that can be walked through. Nothing that was said of it since counts. */
  lost = false;
  at = 0;
  #bytes: Uint8Array = NULL;
  #end = 0;
  #isFirst = false;

  /** Makes ready for the text `bytes[start, end)`. */
  begin(bytes: Uint8Array, start: number, end: number): void {
    this.#bytes = bytes;
    this.#end = end;
    this.at = start;
    this.lost = false;
  }

  /** Enters the current object; false = it is null. */
  enter(): boolean {
    return this.#open(OPEN_OBJECT);
  }

  /** Enters the current list; false = it is null. */
  enterList(): boolean {
    return this.#open(OPEN_ARRAY);
  }

  /** Goes to the next element of a list; false = out of the list. */
  nextElement(): boolean {
    if (this.#byte() === CLOSE_ARRAY) {
      this.#isFirst = false;
      this.at++;
      return false;
    }
    if (!this.#isFirst && this.#byte() !== COMMA) return this.#lose(false);
    if (!this.#isFirst) this.at++;
    this.#isFirst = false;
    return true;
  }

  /** Goes to the next member's value, or out of the object. Returns the member's place in `names`. */
  next(names: MemberNames): number {
    let byte = this.#byte();
    if (byte === CLOSE_OBJECT) {
      this.#isFirst = false;
      this.at++;
      return CLOSED;
    }
    if (!this.#isFirst) {
      if (byte !== COMMA) return this.#lose(CLOSED);
      this.at++;
      byte = this.#byte();
    }
    this.#isFirst = false;
    if (byte !== QUOTE) return this.#lose(CLOSED);
    const start = this.at + 1;
    this.#skipString();
    const end = this.at - 1;
    if (this.#byte() !== COLON) return this.#lose(CLOSED);
    this.at++;
    return matchName(names, this.#bytes, start, end);
  }

  /** Skips the current value. */
  skip(): void {
    const byte = this.#byte();
    if (byte === QUOTE) this.#skipString();
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#skipContainer();
    else this.#skipScalar();
  }

  /** Passes over a string without escapes that is all ASCII. Returns where it begins, behind its quote; 0 = it is null. */
  text(): number {
    const bytes = this.#bytes;
    if (this.#isWord(NULL)) return 0;
    if (this.#byte() !== QUOTE) return this.#lose(0);
    const start = ++this.at;
    let byte = 0;
    while (this.at < this.#end && (byte = bytes[this.at]!) !== QUOTE) {
      if (byte < SPACE || byte > LAST_ASCII || byte === BACKSLASH) return this.#lose(0);
      this.at++;
    }
    this.at++;
    return start;
  }

  /** Passes over a string. Returns its place in `words`; `OTHER` = it is none of them. */
  word(words: MemberNames): number {
    const start = this.text();
    return start === 0 ? this.#lose(OTHER) : matchName(words, this.#bytes, start, this.at - 1);
  }

  /** A count: a whole number, or 0 for null. */
  count(): number {
    const bytes = this.#bytes;
    const start = this.at;
    let value = 0;
    let digit = 0;
    while (this.at < this.#end && (digit = bytes[this.at]! - DIGIT_ZERO) >= 0 && digit <= 9) {
      value = value * 10 + digit;
      this.at++;
    }
    const digits = this.at - start;
    if (digits > 0 && digits <= DIGITS_MAX && this.#isAfterValue()) return value;
    return digits === 0 && this.#isWord(NULL) ? 0 : this.#lose(0);
  }

  /** Passes over a value; whether it is `true`. */
  isTrue(): boolean {
    if (this.#isWord(TRUE)) return true;
    this.skip();
    return false;
  }

  /** Ends the walk: the text is for a parser. */
  lose(): void {
    this.lost = true;
    this.at = this.#end;
  }

  #open(bracket: number): boolean {
    if (this.#isWord(NULL)) return false;
    if (this.#byte() !== bracket) return this.#lose(false);
    this.#isFirst = true;
    this.at++;
    return true;
  }

  #byte(): number {
    return this.at < this.#end ? this.#bytes[this.at]! : 0;
  }

  #lose<Value>(value: Value): Value {
    this.lose();
    return value;
  }

  #isAfterValue(): boolean {
    const byte = this.#byte();
    return byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY;
  }

  #isWord(word: Uint8Array): boolean {
    for (let index = 0; index < word.length; index++) if (this.#bytes[this.at + index] !== word[index]) return false;
    this.at += word.length;
    return true;
  }

  #skipString(): void {
    const bytes = this.#bytes;
    const end = this.#end;
    let at = this.at + 1;
    let byte = 0;
    while (at < end && (byte = bytes[at]!) !== QUOTE) at += byte === BACKSLASH ? 2 : 1;
    this.at = at + 1;
    if (at >= end) this.#lose(0);
  }

  #skipContainer(): void {
    let depth = 0;
    do {
      const byte = this.#byte();
      if (byte === QUOTE) this.#skipString();
      else {
        if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++;
        else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--;
        this.at++;
      }
    } while (depth > 0 && this.at < this.#end);
    if (depth > 0) this.#lose(0);
  }

  #skipScalar(): void {
    const start = this.at;
    while (this.at < this.#end && !this.#isAfterValue()) this.at++;
    if (this.at === start || this.#bytes[start]! <= SPACE) this.#lose(0);
  }
}

function matchName(names: MemberNames, bytes: Uint8Array, start: number, end: number): number {
  const candidates = names[end - start];
  if (candidates === undefined) return OTHER;
  // Without an iterator, which before code is optimized makes more garbage than all else about a row.
  for (let which = 0; which < candidates.length; which++) {
    const name = candidates[which]!;
    let index = start;
    while (index < end && name.bytes[index - start] === bytes[index]) index++;
    if (index === end) return name.place;
  }
  return OTHER;
}
