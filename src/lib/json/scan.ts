import { isAscii as isAsciiOnly, isUtf8 } from 'node:buffer';
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  isSpace,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  readText,
} from './bytes.ts';
import {
  findNoted,
  findScanMember,
  isExpected,
  matches,
  NAME_BYTES_MAX,
  requireElement,
  requireForm,
  ScanError,
} from './scan-names.ts';
import {
  FREE_NODE,
  NOTED_IN_SCHEMAS,
  SCHEMA_NODE,
  type NotedName,
  type ScanMember,
  type ScanNode,
  type ScanPlan,
} from './scan-plan.ts';
import { escapedGrowth, normalizedGrowth } from './normalized-growth.ts';
import type { ScanRecord, ByteSpan } from './scan-record.ts';
import { beginsLiteral, escapeEnd, literalEnd, numberEnd, plainEnd } from './tokens.ts';
import { codeAt, isAscii, unescape } from './unescape.ts';

/** No provider's requests nest anywhere near this deep. */
export const SCAN_DEPTH_MAX = 256;
/** No client writes the plain letters of names as escapes; serializers do so with a character here and there. */
export const ESCAPED_NAMES_MAX = 10_000;
/** Work of one name, value or bracket, of decoding one with escapes, and of handing on a record, in bytes of plain text. */
const TOKEN_WORK = 64;
const DECODE_WORK = 256;
/** Share of the work of a step with characters beyond ASCII, whose growth is counted too. */
const NON_ASCII_SHARE = 0.5;
const SHORT_ESCAPE_BYTES = 2;
const RECORD_WORK = 256;
/** The name or value with escapes that is being looked at; a byte more than a name shows that it is longer. */
const DECODED = new Uint8Array(NAME_BYTES_MAX + 1);
const LETTER_F = 0x66;
const LETTER_N = 0x6e;

/** Position of a member that the plan names. `[start, end)` is its value. */
export interface FoundMember extends ByteSpan {
  readonly path: string;
  /** Index of the name's opening quote. */
  readonly nameStart: number;
}

/** Replaces a name that cannot be shown. */
const UNNAMED = 'a member';
const IN_SCHEMAS = { noted: NOTED_IN_SCHEMAS };
const NONE_NOTED: ReadonlySet<string> = new Set();

/** The members of a plan that were found, apart from those of records. It keeps nothing of the document. */
export class FoundMembers {
  readonly #places: ReadonlyMap<string, number>;
  readonly #list: (FoundMember | undefined)[] = [];

  constructor({ places }: ScanPlan) {
    this.#places = places;
  }

  get(path: string): FoundMember | undefined {
    const place = this.#places.get(path);
    return place === undefined ? undefined : this.#list[place];
  }

  has(place: number): boolean {
    return this.#list[place] !== undefined;
  }

  set(place: number, found: FoundMember): void {
    this.#list[place] = found;
  }

  values(): readonly FoundMember[] {
    return this.#list.filter((found) => found !== undefined);
  }
}

/** Receives each record when it closes, inner ones first. */
export interface RecordReceiver {
  receive(record: ScanRecord): void;
}

/** Meaning of the next byte. */
const VALUE = 0;
const VALUE_OR_END = 1;
const NAME_OR_END = 2;
const NAME = 3;
const IN_NAME = 4;
const BEFORE_COLON = 5;
const AFTER_VALUE = 6;
const IN_TEXT = 7;
const DONE = 8;

/**
 * Reads a whole JSON object in one strict pass over its bytes, in steps, without building values. Throws a `ScanError`
 * for everything that two readers might read differently: broken JSON or text, a byte order mark, and members of the
 * plan that are repeated or spelled in another way.
 */
export class JsonScan {
  readonly found: FoundMembers;
  /** Bytes by which the text that was read may grow when a tokenizer normalizes it. */
  growth = 0;
  /** Values and ends of containers: the lines of the document, indented. */
  lines = 0;
  /** Sum of the depths of these lines. */
  lineDepths = 0;
  names = 0;
  nameBytes = 0;
  readonly #isAscii: boolean;
  #noted: Set<string> | null = null;
  #stranger: string | null = null;
  /** The name just read is none that the plan names or expects. */
  #isStrange = false;

  readonly #bytes: Uint8Array;
  readonly #plan: ScanPlan;
  readonly #receiver: RecordReceiver;
  /** Plan of each open container; null = nothing in it is looked for. */
  readonly #nodes: (ScanNode | null)[] = [];
  /** Found member whose value is open at each depth. */
  readonly #open: (ByteSpan | null)[] = [];
  /** Records that are open, the innermost last. */
  readonly #records: ScanRecord[] = [];
  #record: ScanRecord | null = null;
  readonly #isArray: boolean[] = [];
  #state = VALUE;
  #escapedNames = 0;
  /** Work left in the current step. */
  #work = 0;
  #at = 0;
  /** Start of the current name or text, after its quote. */
  #textStart = 0;
  #textEscaped = false;
  #nameStart = 0;
  /** Plan for the last name. */
  #member: ScanMember | null = null;
  #notedName: NotedName | null = null;

  constructor(bytes: Uint8Array, plan: ScanPlan, receiver: RecordReceiver) {
    this.#bytes = bytes;
    this.#plan = plan;
    this.found = new FoundMembers(plan);
    this.#receiver = receiver;
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
      throw new ScanError('begins with a byte order mark; send plain UTF-8');
    this.#isAscii = isAsciiOnly(bytes);
    if (!this.#isAscii && !isUtf8(bytes)) throw new ScanError('is not valid UTF-8');
  }

  /** Noted names that occur: `name`, or `name=pattern` of its value. */
  get noted(): ReadonlySet<string> {
    return this.#noted ?? NONE_NOTED;
  }

  /** Path of the first member that the plan neither names nor expects where it looks for such, with a value other than null and false; null = none. */
  get stranger(): string | null {
    return this.#stranger;
  }

  /**
   * Scans further, for about as much work as `work` bytes of plain text are; true = the document has been read to its end.
   * The time of a step so hardly depends on what the document is made of.
   */
  step(work: number): boolean {
    const { length } = this.#bytes;
    const start = this.#at;
    this.#work = this.#isAscii ? work : Math.ceil(work * NON_ASCII_SHARE);
    while (this.#at < length && this.#work > 0) {
      const from = this.#at;
      this.#at = this.#advance(from, Math.min(length, from + this.#work));
      this.#work -= this.#at - from + TOKEN_WORK;
    }
    if (!this.#isAscii) this.growth += normalizedGrowth(this.#bytes, start, this.#at);
    if (this.#at < length) return false;
    if (this.#state !== DONE) throw new ScanError(length === 0 ? 'is empty' : 'is cut off before its end');
    return true;
  }

  #advance(at: number, limit: number): number {
    if (this.#state === IN_NAME || this.#state === IN_TEXT) return this.#readText(at, limit);
    const byte = this.#bytes[at]!;
    if (isSpace(byte)) return at + 1;
    switch (this.#state) {
      case AFTER_VALUE:
        return this.#separator(byte, at);
      case BEFORE_COLON:
        if (byte !== COLON) throw unexpected(at);
        this.#state = VALUE;
        return at + 1;
      case NAME_OR_END:
        return byte === CLOSE_OBJECT ? this.#close(at) : this.#beginName(byte, at);
      case NAME:
        return this.#beginName(byte, at);
      case VALUE_OR_END:
        return byte === CLOSE_ARRAY ? this.#close(at) : this.#beginValue(byte, at);
      case VALUE:
        return this.#beginValue(byte, at);
      default:
        throw new ScanError(`goes on after its end, at byte ${at}`);
    }
  }

  #separator(byte: number, at: number): number {
    const inArray = this.#isArray[this.#nodes.length - 1] === true;
    if (byte !== COMMA) {
      if (byte !== (inArray ? CLOSE_ARRAY : CLOSE_OBJECT)) throw unexpected(at);
      return this.#close(at);
    }
    this.#state = inArray ? VALUE : NAME;
    return at + 1;
  }

  #beginName(byte: number, at: number): number {
    if (byte !== QUOTE) throw unexpected(at);
    this.#nameStart = at;
    return this.#beginText(IN_NAME, at);
  }

  #beginText(state: number, at: number): number {
    this.#state = state;
    this.#textStart = at + 1;
    this.#textEscaped = false;
    return at + 1;
  }

  #beginValue(byte: number, at: number): number {
    const depth = this.#nodes.length;
    if (depth === 0 && byte !== OPEN_OBJECT) throw new ScanError('must be a JSON object');
    this.lines++;
    this.lineDepths += depth;
    const member = this.#member;
    if (this.#isStrange) this.#endStrange(byte, at);
    if (member !== null) {
      this.#find(member, at);
      if (member.node.form !== 'anything') requireForm(member.node, byte);
    } else if (this.#nodes[depth - 1]?.element) requireElement(this.#nodes[depth - 1]!, byte);
    if (byte === QUOTE) return this.#beginText(IN_TEXT, at);
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) return this.#descend(byte === OPEN_ARRAY, at);
    if (this.#notedName !== null) this.#noteScalar(byte);
    const end = beginsLiteral(byte) ? literalEnd(this.#bytes, at) : numberEnd(this.#bytes, at);
    if (end === -1) throw unexpected(at);
    return this.#endValue(end);
  }

  #find({ path, slot, inRecord }: ScanMember, at: number): void {
    let span: ByteSpan | undefined;
    if (inRecord) {
      span = this.#record?.spans[slot];
      if (span) span.start = at;
    } else {
      const found = { path, nameStart: this.#nameStart, start: at, end: at };
      this.found.set(slot, found);
      span = found;
    }
    this.#open[this.#nodes.length] = span ?? null;
  }

  #descend(array: boolean, at: number): number {
    const depth = this.#nodes.length;
    if (depth === SCAN_DEPTH_MAX) throw new ScanError(`nests deeper than ${SCAN_DEPTH_MAX} levels`);
    this.#noteAny();
    const node = this.#nodeOf(depth, array);
    if (node?.record) {
      this.#record = node.record.open(this.#bytes, at);
      this.#records.push(this.#record);
    }
    this.#nodes.push(node);
    this.#isArray[depth] = array;
    this.#member = null;
    this.#notedName = null;
    this.#open[depth + 1] = null;
    this.#state = array ? VALUE_OR_END : NAME_OR_END;
    return at + 1;
  }

  /** The plan of the container that begins here. */
  #nodeOf(depth: number, array: boolean): ScanNode | null {
    if (depth === 0) return this.#plan.root;
    const around = this.#nodes[depth - 1] ?? null;
    if (around === FREE_NODE || around === SCHEMA_NODE) return around;
    const inArray = this.#isArray[depth - 1] === true;
    const node = inArray ? around : (this.#member?.node ?? null);
    if (node === null || node === FREE_NODE || node === SCHEMA_NODE) return node;
    if (array) return node.element && (!inArray || node.form === 'anything') ? node : null;
    return node.element ?? (inArray ? null : node);
  }

  #endStrange(byte: number, at: number): void {
    this.#isStrange = false;
    if (this.#stranger !== null || byte === LETTER_N || byte === LETTER_F) return;
    // The name ends at the last quote before its value.
    const end = this.#bytes.lastIndexOf(QUOTE, at - 1);
    const name = readText(this.#bytes, this.#nameStart + 1, end) ?? UNNAMED;
    const around = this.#nodes.at(-1)?.path ?? '';
    this.#stranger = around === '' ? name : `${around}.${name}`;
  }

  #close(at: number): number {
    const record = this.#nodes.pop()?.record;
    if (record && this.#record) {
      this.#work -= RECORD_WORK;
      this.#receiver.receive(this.#record);
      record.close(this.#record);
      this.#records.pop();
      this.#record = this.#records.at(-1) ?? null;
    }
    this.lines++;
    this.lineDepths += this.#nodes.length;
    return this.#endValue(at + 1);
  }

  #endValue(end: number): number {
    const depth = this.#nodes.length;
    const found = this.#open[depth];
    if (found) {
      found.end = end;
      this.#open[depth] = null;
    }
    this.#member = null;
    this.#notedName = null;
    if (depth === 0) this.#state = DONE;
    // The comma nearly always follows directly.
    else if (this.#bytes[end] === COMMA) {
      this.#state = this.#isArray[depth - 1] === true ? VALUE : NAME;
      return end + 1;
    } else this.#state = AFTER_VALUE;
    return end;
  }

  #readText(start: number, limit: number): number {
    const bytes = this.#bytes;
    const at = plainEnd(bytes, start, limit);
    if (at === limit) return at;
    const byte = bytes[at]!;
    if (byte === QUOTE) return this.#state === IN_NAME ? this.#endName(at) : this.#endText(at);
    if (byte !== BACKSLASH) throw new ScanError(`has a control character in a text, at byte ${at}`);
    this.#textEscaped = true;
    const next = escapeEnd(bytes, at);
    if (next === -1) throw new ScanError(`has a broken escape in a text, at byte ${at}`);
    if (next - at > SHORT_ESCAPE_BYTES) this.growth += escapedGrowth(codeAt(bytes, at + SHORT_ESCAPE_BYTES, next));
    return next;
  }

  #endName(end: number): number {
    this.#readName(end);
    // The colon nearly always follows directly.
    const colon = this.#bytes[end + 1] === COLON;
    this.#state = colon ? VALUE : BEFORE_COLON;
    return colon ? end + 2 : end + 1;
  }

  #readName(end: number): void {
    this.names++;
    this.nameBytes += end - this.#textStart;
    const node = this.#nodes[this.#nodes.length - 1] ?? null;
    if (node === FREE_NODE) return;
    const escaped = this.#textEscaped;
    const bytes = escaped ? DECODED : this.#bytes;
    const from = escaped ? 0 : this.#textStart;
    const to = escaped ? this.#decodeName(end) : end;
    if (node !== null && (node.members.all.length > 0 || node.expected !== null)) this.#claim(node, bytes, from, to);
    const { noted } = node === SCHEMA_NODE ? IN_SCHEMAS : this.#plan;
    if (this.#member === null) this.#notedName = findNoted(noted[to - from], bytes, from);
  }

  /** @param bytes holds the name in `[from, to)` */
  #claim(node: ScanNode, bytes: Uint8Array, from: number, to: number): void {
    const member = findScanMember(node.members, bytes, from, to);
    this.#member = member;
    if (member === null) {
      if (node.expected !== null) this.#isStrange = !isExpected(node.expected, bytes, from, to);
      else if (node.record && this.#record) this.#record.strangers++;
      return;
    }
    const { path, slot, inRecord } = member;
    const twice = inRecord ? (this.#record?.spans[slot]?.start ?? -1) !== -1 : this.found.has(slot);
    if (twice) throw new ScanError(`has "${path}" twice; send it once`, path);
  }

  #endText(end: number): number {
    if (this.#notedName !== null) this.#noteText(this.#notedName, end);
    return this.#endValue(end + 1);
  }

  #noteScalar(byte: number): void {
    // Null and false say that the feature is not used.
    if (byte !== LETTER_N && byte !== LETTER_F) this.#noteAny();
  }

  #noteAny(): void {
    if (this.#notedName?.values === null) this.#note(this.#notedName.text);
  }

  #noteText({ text, values }: NotedName, end: number): void {
    if (values === null) this.#note(text);
    else {
      const escaped = this.#textEscaped;
      const bytes = escaped ? DECODED : this.#bytes;
      const from = escaped ? 0 : this.#textStart;
      const to = escaped ? this.#decode(end) : end;
      for (const value of values) if (matches(value, bytes, from, to)) this.#note(`${text}=${value}`);
    }
  }

  #note(name: string): void {
    (this.#noted ??= new Set()).add(name);
  }

  #decodeName(end: number): number {
    const length = this.#decode(end);
    if (isAscii(DECODED, length) && ++this.#escapedNames > ESCAPED_NAMES_MAX)
      throw new ScanError(`writes more than ${ESCAPED_NAMES_MAX} names with escapes; write them as plain text`);
    return length;
  }

  /** Decodes as much of the text as can matter; returns its length. */
  #decode(end: number): number {
    this.#work -= DECODE_WORK;
    return unescape(this.#bytes, this.#textStart, end, DECODED);
  }
}

function unexpected(at: number): ScanError {
  return new ScanError(`is not valid JSON at byte ${at}`);
}
