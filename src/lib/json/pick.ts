import { ByteMemo, CaptureBuffer } from './byte-memo.ts';
import {
  BACKSLASH,
  beginsScalar,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  endsScalar,
  equalAt,
  isSpace,
  OPEN_ARRAY,
  OPEN_OBJECT,
  parseSlice,
  QUOTE,
  SPACE,
} from './bytes.ts';

const LETTER_U = 0x75;
/** An escape `\uXXXX` is six bytes for one character, counted as three; other escapes are two for one. */
const UNICODE_ESCAPE_EXCESS = 3;

/** Containers that a plan looks into, one in another. What is skipped may nest as deep as it likes. */
const PLAN_DEPTH_MAX = 16;
/** A member name longer than this, escapes included, is none that a plan could name. */
const NAME_BYTES_MAX = 512;

/** Meaning of the next byte. */
const VALUE = 0;
const VALUE_OR_END = 1;
const NAME_OR_END = 2;
const NAME = 3;
const BEFORE_COLON = 4;
const AFTER_VALUE = 5;
const DONE = 6;
/** States from here on continue something that has started. */
const IN_NAME = 7;
const IN_RAW = 8;
const IN_SCALAR = 9;
const BAD = 10;

/** Receives each captured value (`value` parsed), and each container with a slot when it closes (`value` undefined). */
export type PickReceiver = (slot: number, value: unknown) => void;

/**
 * Reads one JSON document from pieces of any size, in memory that does not grow with the document. Values named by the
 * plan are captured or measured; everything else is skipped at the speed of a byte loop. Brackets and strings are
 * followed exactly; the content of skipped values is not checked otherwise.
 */
export class JsonPick {
  /** The document has closed. */
  complete = false;
  /** The bytes are not one JSON document. Values captured before remain valid. */
  malformed = false;
  /** A captured value was longer than its bound and left out. */
  oversize = false;
  /** Bytes of measured text so far, over all documents. */
  measuredBytes = 0;

  readonly #root: PickNode;
  readonly #receive: PickReceiver;
  readonly #capture = new CaptureBuffer();
  readonly #name = new CaptureBuffer();
  /** Memos by slot. */
  readonly #memos: (ByteMemo<unknown> | undefined)[] = [];
  /** The innermost open container that the plan looks into, and those around it. */
  #top: PickNode;
  #inArray = false;
  #depth = 0;
  readonly #outer: PickNode[] = [];
  readonly #outerArrays: boolean[] = [];
  #state = VALUE;
  /** Plan of the next or current value; null = skip it. */
  #node: PickNode | null;
  #rawDepth = 0;
  #inString = false;
  #escaped = false;
  #nameEscaped = false;
  /** Bytes that escapes and quotes add to the current value. */
  #excess = 0;
  #rawBytes = 0;
  /** Start of the current value in the current piece. */
  #from = 0;

  constructor(root: PickNode, receive: PickReceiver) {
    this.#root = root;
    this.#node = root;
    this.#top = root;
    this.#receive = receive;
  }

  /** Starts another document; the count of measured bytes continues. */
  reset(): void {
    this.complete = false;
    this.malformed = false;
    this.#state = VALUE;
    this.#node = this.#root;
    this.#top = this.#root;
    this.#depth = 0;
    if (this.#capture.started) this.#capture.clear();
    if (this.#name.started) this.#name.clear();
  }

  /** Reads `bytes[start, end)`. */
  push(bytes: Uint8Array, start = 0, end: number = bytes.length): void {
    this.#from = start;
    let at = this.#state >= IN_NAME ? this.#resume(bytes, start, end) : start;
    while (at < end) {
      const byte = bytes[at]!;
      if (byte <= SPACE && isSpace(byte)) at++;
      else at = this.#structure(byte, bytes, at, end);
    }
    if (this.#state === IN_RAW || this.#state === IN_SCALAR) this.#keepRaw(bytes, end);
  }

  /** Goes on with what the last piece ended in. */
  #resume(bytes: Uint8Array, at: number, end: number): number {
    if (this.#state === IN_NAME) return this.#skipName(bytes, at, end);
    if (this.#state === IN_SCALAR) return this.#skipScalar(bytes, at, end);
    if (this.#state === IN_RAW) return this.#skipRaw(bytes, at, end);
    return end;
  }

  /** Takes one structural byte, or a name or value that begins with this byte. */
  #structure(byte: number, bytes: Uint8Array, at: number, end: number): number {
    switch (this.#state) {
      case VALUE_OR_END:
        if (byte === CLOSE_ARRAY) return this.#close(at);
        return this.#beginValue(byte, bytes, at, end);
      case VALUE:
        return this.#beginValue(byte, bytes, at, end);
      case NAME_OR_END:
        if (byte === CLOSE_OBJECT) return this.#close(at);
        return this.#beginName(byte, bytes, at, end);
      case NAME:
        return this.#beginName(byte, bytes, at, end);
      case BEFORE_COLON:
        return byte === COLON ? this.#go(VALUE, at) : this.#fail(end);
      case AFTER_VALUE:
        return this.#separator(byte, at, end);
      default:
        return this.#fail(end);
    }
  }

  #separator(byte: number, at: number, end: number): number {
    if (byte === COMMA) {
      this.#node = this.#top.element;
      return this.#go(this.#inArray ? VALUE : NAME, at);
    }
    return byte === (this.#inArray ? CLOSE_ARRAY : CLOSE_OBJECT) ? this.#close(at) : this.#fail(end);
  }

  #beginName(byte: number, bytes: Uint8Array, at: number, end: number): number {
    if (byte !== QUOTE) return this.#fail(end);
    this.#nameEscaped = false;
    this.#escaped = false;
    this.#state = IN_NAME;
    return this.#skipName(bytes, at + 1, end);
  }

  #beginValue(byte: number, bytes: Uint8Array, at: number, end: number): number {
    const node = this.#node;
    const opens = byte === OPEN_OBJECT || byte === OPEN_ARRAY;
    if (opens && node !== null && node.action === 'descend') {
      const array = byte === OPEN_ARRAY;
      if (array ? node.element !== null : node.named) return this.#descend(node, array, at, end);
    }
    if (!opens && byte !== QUOTE && !beginsScalar(byte)) return this.#fail(end);
    this.#rawDepth = 0;
    this.#inString = false;
    this.#escaped = false;
    this.#excess = 0;
    this.#rawBytes = 0;
    this.#from = at;
    this.#state = opens || byte === QUOTE ? IN_RAW : IN_SCALAR;
    return this.#resume(bytes, at, end);
  }

  #descend(node: PickNode, array: boolean, at: number, end: number): number {
    if (this.#depth === PLAN_DEPTH_MAX) return this.#fail(end);
    this.#outer[this.#depth] = this.#top;
    this.#outerArrays[this.#depth] = this.#inArray;
    this.#depth++;
    this.#top = node;
    this.#inArray = array;
    this.#node = node.element;
    return this.#go(array ? VALUE_OR_END : NAME_OR_END, at);
  }

  #close(at: number): number {
    const { slot } = this.#top;
    this.#depth--;
    this.#top = this.#outer[this.#depth]!;
    this.#inArray = this.#outerArrays[this.#depth]!;
    if (slot >= 0) this.#receive(slot, undefined);
    this.#afterValue();
    return at + 1;
  }

  #afterValue(): void {
    const closed = this.#depth === 0;
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
    let byte = 0;
    while (at < end && (byte = bytes[at]!) !== QUOTE) {
      at++;
      if (byte !== BACKSLASH) continue;
      this.#nameEscaped = true;
      this.#escaped = at === end;
      at++;
    }
    if (at >= end) {
      this.#name.append(bytes, start, end, NAME_BYTES_MAX);
      return end;
    }
    this.#node = this.#memberNode(bytes, start, at);
    // The colon nearly always follows directly.
    const colon = bytes[at + 1] === COLON && at + 1 < end;
    this.#state = colon ? VALUE : BEFORE_COLON;
    return colon ? at + 2 : at + 1;
  }

  #memberNode(bytes: Uint8Array, start: number, end: number): PickNode | null {
    const name = this.#name;
    if (!name.started && !this.#nameEscaped) return findPickMember(this.#top, bytes, start, end);
    name.append(bytes, start, end, NAME_BYTES_MAX);
    const whole = this.#nameEscaped ? unescapeName(name.bytes()) : name.bytes();
    const found = name.overflowed ? null : findPickMember(this.#top, whole, 0, whole.length);
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
    this.#afterValue();
    if (node === null) return end;
    if (node.action === 'measure')
      this.measuredBytes += this.#rawBytes + end - this.#from - quotes - (quotes > 0 ? this.#excess : 0);
    else if (node.action === 'capture') this.#finishCapture(node, bytes, end);
    return end;
  }

  #finishCapture(node: PickNode, bytes: Uint8Array, end: number): void {
    const buffer = this.#capture;
    if (buffer.started || end - this.#from > node.bytesMax) buffer.append(bytes, this.#from, end, node.bytesMax);
    if (buffer.overflowed) this.oversize ||= !node.optional;
    else if (!buffer.started) this.#handOver(node.slot, bytes, this.#from, end);
    else this.#handOver(node.slot, buffer.bytes(), 0, buffer.length);
    if (buffer.started) buffer.clear();
  }

  #handOver(slot: number, bytes: Uint8Array, start: number, end: number): void {
    const memo = (this.#memos[slot] ??= new ByteMemo<unknown>());
    if (!memo.holds(bytes, start, end)) {
      const value = parseSlice(bytes, start, end);
      if (value === undefined) {
        this.malformed = true;
        return;
      }
      memo.keep(bytes, start, end, value);
    }
    this.#receive(slot, memo.value);
  }

  #go(state: number, at: number): number {
    this.#state = state;
    return at + 1;
  }

  /** Nothing more is read. A document that had closed stays complete. */
  #fail(end: number): number {
    this.malformed = true;
    this.#state = BAD;
    return end;
  }
}

function findPickMember({ byLength }: PickNode, bytes: Uint8Array, start: number, end: number): PickNode | null {
  const members = byLength[end - start];
  if (members === undefined) return null;
  for (const { name, node } of members) if (equalAt(name, bytes, start)) return node;
  return null;
}

function unescapeName(escaped: Uint8Array): Uint8Array {
  const quoted = new Uint8Array(escaped.length + 2).fill(QUOTE);
  quoted.set(escaped, 1);
  const name = parseSlice(quoted, 0, quoted.length);
  return typeof name === 'string' ? new TextEncoder().encode(name) : escaped;
}

/** Treatment of the value at one place of a document. */
export interface PickNode {
  /** `descend` into a container, `capture` the value, or `measure` its bytes. */
  readonly action: 'descend' | 'capture' | 'measure';
  /** Passed to the receiver with the value; −1 = nothing is passed. For a container: passed when it closes. */
  readonly slot: number;
  /** A captured value longer than this is left out, and said to be `oversize`. */
  readonly bytesMax: number;
  /** A longer value is left out and not reported. */
  readonly optional: boolean;
  /** Wanted members, by the length of their names in bytes. */
  readonly byLength: readonly (readonly PickMember[] | undefined)[];
  /** An object is looked into: it has wanted members, or is passed when it closes. */
  readonly named: boolean;
  readonly element: PickNode | null;
}

interface PickMember {
  /** UTF-8 of the member's name. */
  readonly name: Uint8Array;
  readonly node: PickNode;
}

const CAPTURE_BYTES_MAX = 65_536;

/** Capture the value and hand it over, parsed. */
export function capture(slot: number, bytesMax: number = CAPTURE_BYTES_MAX): PickNode {
  return { action: 'capture', slot, bytesMax, optional: false, byLength: [], named: false, element: null };
}

/** Captures a value that may be left out if it is long. */
export function captureShort(slot: number, bytesMax: number): PickNode {
  return { ...capture(slot, bytesMax), optional: true };
}

/** Count the bytes of the value: of a string its text, of anything else its JSON. */
export function measure(): PickNode {
  return { action: 'measure', slot: -1, bytesMax: 0, optional: false, byLength: [], named: false, element: null };
}

/** Looks into an object (`members`) or an array (`element`); `closed` is passed when it ends. */
export function look(
  members: Readonly<Record<string, PickNode>>,
  element: PickNode | null = null,
  closed = -1,
): PickNode {
  const byLength: PickMember[][] = [];
  for (const [text, node] of Object.entries(members)) {
    const name = new TextEncoder().encode(text);
    (byLength[name.length] ??= []).push({ name, node });
  }
  const named = byLength.length > 0 || closed >= 0;
  return { action: 'descend', slot: closed, bytesMax: 0, optional: false, byLength, named, element };
}

/** Look into every element of an array. */
export function eachElement(element: PickNode): PickNode {
  return look({}, element);
}
