import {
  BACKSLASH,
  beginsScalar,
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
} from './json-bytes.ts';
import { CaptureBuffer } from './json-capture.ts';
import type { PickMember, PickNode } from './json-plan.ts';

const LETTER_U = 0x75;
/** An escape `\uXXXX` is six bytes for one character, counted as three; other escapes are two for one. */
const UNICODE_ESCAPE_EXCESS = 3;

/** Containers that a plan looks into, one in another. What is skipped may nest as deep as it likes. */
const PLAN_DEPTH_MAX = 16;
/** A member name longer than this, escapes included, is none that a plan could name. */
const NAME_BYTES_MAX = 512;

/** What the next byte means. */
const VALUE = 0;
const VALUE_OR_END = 1;
const NAME_OR_END = 2;
const NAME = 3;
const IN_NAME = 4;
const BEFORE_COLON = 5;
const AFTER_VALUE = 6;
const IN_RAW = 7;
const IN_SCALAR = 8;
const DONE = 9;
const BAD = 10;

/** Told of each captured value (`value` parsed), and of each container with a slot at its close (`value` undefined). */
export type PickReceiver = (slot: number, value: unknown) => void;

/**
 * Reads one JSON document pushed in pieces torn anywhere, in memory that does not grow with the document: values that
 * the plan names are captured or measured, everything else is passed over at the speed of a byte loop. Brackets and
 * strings are followed exactly; what stands inside a skipped value is not otherwise checked.
 */
export class JsonPick {
  /** The document has closed. */
  complete = false;
  /** The bytes are no JSON document, or go on after its end. What was captured before stands. */
  malformed = false;
  /** A captured value was longer than its bound and left out. */
  oversize = false;
  /** Bytes of measured text so far, over all documents. */
  measuredBytes = 0;

  readonly #root: PickNode;
  readonly #receive: PickReceiver;
  readonly #capture = new CaptureBuffer();
  readonly #name = new CaptureBuffer();
  readonly #open: PickNode[] = [];
  /** Bit n: the n-th open container is an array. */
  #arrays = 0;
  #state = VALUE;
  /** Plan of the value to come or under way; null = skip it. */
  #node: PickNode | null;
  #rawDepth = 0;
  #inString = false;
  #escaped = false;
  #nameEscaped = false;
  /** Bytes that escapes and quotes add to the value under way. */
  #excess = 0;
  #rawBytes = 0;
  /** Where the bytes of the value under way begin in the piece at hand. */
  #from = 0;

  constructor(root: PickNode, receive: PickReceiver) {
    this.#root = root;
    this.#node = root;
    this.#receive = receive;
  }

  /** Makes ready for another document; the count of measured bytes goes on. */
  reset(): void {
    this.complete = false;
    this.malformed = false;
    this.#state = VALUE;
    this.#node = this.#root;
    this.#open.length = 0;
    this.#arrays = 0;
    this.#capture.clear();
    this.#name.clear();
  }

  /** Reads `bytes[start, end)`. */
  push(bytes: Uint8Array, start = 0, end: number = bytes.length): void {
    let at = start;
    this.#from = start;
    while (at < end) {
      const state = this.#state;
      if (state === IN_RAW) at = this.#skipRaw(bytes, at, end);
      else if (state === IN_SCALAR) at = this.#skipScalar(bytes, at, end);
      else if (state === IN_NAME) at = this.#skipName(bytes, at, end);
      else if (state === BAD) return;
      else if (isSpace(bytes[at]!)) at++;
      else at = this.#structure(bytes, at);
    }
    if (this.#state === IN_RAW || this.#state === IN_SCALAR) this.#keepRaw(bytes, end);
  }

  /** Takes one structural byte, or the first of a value or name. */
  #structure(bytes: Uint8Array, at: number): number {
    const byte = bytes[at]!;
    switch (this.#state) {
      case AFTER_VALUE:
        return this.#separator(byte, at);
      case BEFORE_COLON:
        return byte === COLON ? this.#go(VALUE, at) : this.#fail(at);
      case NAME_OR_END:
        if (byte === CLOSE_OBJECT) return this.#close(at);
        return this.#beginName(byte, at);
      case NAME:
        return this.#beginName(byte, at);
      case VALUE_OR_END:
        if (byte === CLOSE_ARRAY) return this.#close(at);
        return this.#beginValue(byte, at);
      case VALUE:
        return this.#beginValue(byte, at);
      default:
        return this.#fail(at);
    }
  }

  #separator(byte: number, at: number): number {
    const inArray = this.#inArray();
    if (byte === COMMA) {
      if (!inArray) return this.#go(NAME, at);
      this.#node = this.#open.at(-1)!.element;
      return this.#go(VALUE, at);
    }
    return byte === (inArray ? CLOSE_ARRAY : CLOSE_OBJECT) ? this.#close(at) : this.#fail(at);
  }

  #beginName(byte: number, at: number): number {
    if (byte !== QUOTE) return this.#fail(at);
    this.#nameEscaped = false;
    this.#escaped = false;
    return this.#go(IN_NAME, at);
  }

  #beginValue(byte: number, at: number): number {
    const node = this.#node;
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      const array = byte === OPEN_ARRAY;
      if (node !== null && node.action === 'descend' && (array ? node.element !== null : node.members.length > 0))
        return this.#descend(node, array, at);
    } else if (byte !== QUOTE && !beginsScalar(byte)) return this.#fail(at);
    this.#rawDepth = 0;
    this.#inString = false;
    this.#escaped = false;
    this.#excess = 0;
    this.#rawBytes = 0;
    this.#from = at;
    this.#state = byte === QUOTE || byte === OPEN_OBJECT || byte === OPEN_ARRAY ? IN_RAW : IN_SCALAR;
    return at;
  }

  #descend(node: PickNode, array: boolean, at: number): number {
    const depth = this.#open.length;
    if (depth === PLAN_DEPTH_MAX) return this.#fail(at);
    this.#open.push(node);
    this.#arrays = array ? this.#arrays | (1 << depth) : this.#arrays & ~(1 << depth);
    this.#node = node.element;
    return this.#go(array ? VALUE_OR_END : NAME_OR_END, at);
  }

  #close(at: number): number {
    const node = this.#open.pop()!;
    if (node.slot >= 0) this.#receive(node.slot, undefined);
    this.#afterValue();
    return at + 1;
  }

  #afterValue(): void {
    const closed = this.#open.length === 0;
    this.#state = closed ? DONE : AFTER_VALUE;
    if (closed) this.complete = true;
  }

  /** Passes over a member's name; at its end the plan of its value is looked up. */
  #skipName(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    if (this.#escaped) {
      at++;
      this.#escaped = false;
    }
    while (at < end && bytes[at] !== QUOTE) {
      if (bytes[at++] !== BACKSLASH) continue;
      this.#nameEscaped = true;
      this.#escaped = at === end;
      at++;
    }
    if (at >= end) {
      this.#name.append(bytes, start, end, NAME_BYTES_MAX);
      return end;
    }
    this.#node = this.#memberNode(bytes, start, at);
    return this.#go(BEFORE_COLON, at);
  }

  #memberNode(bytes: Uint8Array, start: number, end: number): PickNode | null {
    const { members } = this.#open.at(-1)!;
    const name = this.#name;
    if (!name.started && !this.#nameEscaped) return findMember(members, bytes, start, end);
    name.append(bytes, start, end, NAME_BYTES_MAX);
    const whole = this.#nameEscaped ? unescapeName(name.bytes()) : name.bytes();
    const found = name.overflowed ? null : findMember(members, whole, 0, whole.length);
    name.clear();
    return found;
  }

  /** Passes over a string or a container that is not looked into. */
  #skipRaw(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    while (at < end) {
      if (this.#inString) {
        at = this.#skipString(bytes, at, end);
        if (this.#inString) return end;
        if (this.#rawDepth === 0) return this.#finishRaw(bytes, at, 2);
        continue;
      }
      const byte = bytes[at++]!;
      if (byte === QUOTE) this.#inString = true;
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#rawDepth++;
      else if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && --this.#rawDepth === 0)
        return this.#finishRaw(bytes, at, 0);
    }
    return end;
  }

  #skipString(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    if (this.#escaped) this.#countEscape(bytes[at++]!);
    for (;;) {
      let byte = 0;
      while (at < end && (byte = bytes[at]!) !== QUOTE && byte !== BACKSLASH) at++;
      if (at >= end) return end;
      at++;
      if (byte === QUOTE) {
        this.#inString = false;
        return at;
      }
      if (at >= end) {
        this.#escaped = true;
        return end;
      }
      this.#countEscape(bytes[at++]!);
    }
  }

  #countEscape(byte: number): void {
    this.#escaped = false;
    this.#excess += byte === LETTER_U ? UNICODE_ESCAPE_EXCESS : 1;
  }

  #skipScalar(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    while (at < end && !endsScalar(bytes[at]!)) at++;
    return at === end ? end : this.#finishRaw(bytes, at, 0);
  }

  /** The piece ends inside a value: what is wanted of it is kept. */
  #keepRaw(bytes: Uint8Array, end: number): void {
    this.#rawBytes += end - this.#from;
    const node = this.#node;
    if (node?.action === 'capture') this.#capture.append(bytes, this.#from, end, node.bytesMax);
  }

  #finishRaw(bytes: Uint8Array, end: number, quotes: number): number {
    const node = this.#node;
    if (node !== null && node.action === 'measure')
      this.measuredBytes += this.#rawBytes + end - this.#from - quotes - (quotes > 0 ? this.#excess : 0);
    else if (node !== null && node.action === 'capture') this.#finishCapture(node, bytes, end);
    this.#afterValue();
    return end;
  }

  #finishCapture(node: PickNode, bytes: Uint8Array, end: number): void {
    const capture = this.#capture;
    if (capture.started || end - this.#from > node.bytesMax) capture.append(bytes, this.#from, end, node.bytesMax);
    if (capture.overflowed) this.oversize = true;
    else {
      const torn = capture.started ? capture.bytes() : null;
      const value = torn ? parseSlice(torn, 0, torn.length) : parseSlice(bytes, this.#from, end);
      if (value === undefined) this.malformed = true;
      else this.#receive(node.slot, value);
    }
    capture.clear();
  }

  #inArray(): boolean {
    return (this.#arrays & (1 << (this.#open.length - 1))) !== 0;
  }

  #go(state: number, at: number): number {
    this.#state = state;
    return at + 1;
  }

  #fail(at: number): number {
    this.malformed = true;
    if (!this.complete) this.#state = BAD;
    return at + 1;
  }
}

function findMember(members: readonly PickMember[], bytes: Uint8Array, start: number, end: number): PickNode | null {
  const length = end - start;
  for (const { name, node } of members) if (name.length === length && equalAt(name, bytes, start)) return node;
  return null;
}

function equalAt(name: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let at = 0; at < name.length; at++) if (name[at] !== bytes[start + at]) return false;
  return true;
}

function unescapeName(escaped: Uint8Array): Uint8Array {
  const quoted = new Uint8Array(escaped.length + 2).fill(QUOTE);
  quoted.set(escaped, 1);
  const name = parseSlice(quoted, 0, quoted.length);
  return typeof name === 'string' ? new TextEncoder().encode(name) : escaped;
}
