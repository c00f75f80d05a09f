import { TollbookError } from '../domain/errors.ts';
import { SECRET_PREFIX } from '../domain/identity/secret.ts';
import { type FoundMember, type FoundMembers, JsonScan, type RecordReceiver } from '../lib/json/scan.ts';
import { ScanError } from '../lib/json/scan-names.ts';
import type { ScanPlan } from '../lib/json/scan-plan.ts';
import { ScanValues, UNCLEAR } from '../lib/json/scan-record.ts';
import type { MemberGap, MemberPlace } from './body-edits.ts';
import type { InferenceRoute, RequestFacts, BodySplice } from './provider.ts';

/**
 * Work between two chances for other work, in bytes of plain text. It takes less than two milliseconds, and is enough to scan
 * most bodies whole.
 */
const SCAN_STEP_WORK = 1_048_576;
/** Longer names are no model's; the bound keeps keys, logs and the book small. */
export const MODEL_CHARS_MAX = 256;
/** Answers of one request; providers give far fewer. */
const ANSWERS_MAX = 10_000;
/** A field that is not known is named in the refusal, up to this length. */
const STRANGER_CHARS_MAX = 64;
const COMMA = 0x2c;
const CLOSE_OBJECT = 0x7d;

/** A request body that has been scanned: where its members stand and what they say. */
export class RequestBody extends ScanValues {
  readonly bytes: Uint8Array;
  readonly #scan: JsonScan;
  #gap: MemberGap | null = null;

  constructor(bytes: Uint8Array, scan: JsonScan) {
    super();
    this.bytes = bytes;
    this.#scan = scan;
  }

  find(path: string): FoundMember | undefined {
    return this.#scan.found.get(path);
  }

  /** All members that were found, by path. Keeping them keeps nothing of the body. */
  get found(): FoundMembers {
    return this.#scan.found;
  }

  /** A member of the body itself that the plan doesn't name, as a phrase; null = there is none. */
  get stranger(): string | null {
    const name = this.#scan.stranger;
    return name === null ? null : `${name.slice(0, STRANGER_CHARS_MAX)}, a field that is not known`;
  }

  /** The model asked for. Throws where there is none. */
  model(): string {
    const value = this.value('model');
    if (typeof value !== 'string' || value === '')
      throw new TollbookError('invalid', 'The request body needs "model", the name of a model as a text.', 'model');
    if (value.length > MODEL_CHARS_MAX || !/^[\x21-\x7e]+$/.test(value))
      throw new TollbookError(
        'invalid',
        `"model" must be at most ${MODEL_CHARS_MAX} plain characters without spaces.`,
        'model',
      );
    // The model's name stands in the book and in reports.
    if (value.includes(SECRET_PREFIX))
      throw new TollbookError('invalid', '"model" holds a secret of this service; name a model.', 'model');
    return value;
  }

  /** One of the names or `name=value` pairs that the plan notes occurs; without a name, whether there is one at all. */
  notes(name?: string): boolean {
    const { noted } = this.#scan;
    return name === undefined ? noted.size > 0 : noted.has(name);
  }

  notesAny(names: readonly string[]): boolean {
    const { noted } = this.#scan;
    return noted.size > 0 && names.some((name) => noted.has(name));
  }

  /** Cuts a top-level member out, with one of the commas beside it. */
  cut({ nameStart, end }: FoundMember): BodySplice {
    const next = spaceEnd(this.bytes, end);
    if (this.bytes[next] === COMMA) return { start: nameStart, end: next + 1, text: '' };
    const last = spaceStart(this.bytes, nameStart);
    return { start: this.bytes[last - 1] === COMMA ? last - 1 : nameStart, end, text: '' };
  }

  /** Where members can be put into the object whose opening brace is at `brace`. */
  gapAt(brace: number): MemberGap {
    const comma = this.bytes[spaceEnd(this.bytes, brace + 1)] !== CLOSE_OBJECT;
    return { start: brace + 1, end: brace + 1, comma };
  }

  /** The same for the body itself: one gap, however often it is asked for. */
  get gap(): MemberGap {
    return (this.#gap ??= this.gapAt(spaceEnd(this.bytes, 0)));
  }

  /** The place of a member of the body itself. */
  place(name: string): MemberPlace {
    return { span: this.find(name) ?? null, gap: this.gap, name };
  }

  /** A whole number from 0 up, or a text of one, as lenient readers take it; null = absent or something else. */
  lenientCount(path: string): number | null {
    return parseCount(this.value(path));
  }

  /** How many answers are asked for. Throws where that is no whole number, which readers take differently, or beyond sense. */
  answers(path: string): number {
    const value = this.value(path);
    if (value === null || !this.find(path)) return 1;
    const count = parseCount(value);
    if (count === null || count > ANSWERS_MAX)
      throw new TollbookError('invalid', `"${path}" must be a whole number, at most ${ANSWERS_MAX}.`, path);
    return Math.max(1, count);
  }

  /** A word in lower case; null = absent or null. What is empty, too long or no text is `UNCLEAR`. */
  word(path: string): string | null {
    return this.text(path)?.toLowerCase() ?? null;
  }

  /** Words of a list, in lower case; null = absent or null. An element that is no text is `UNCLEAR`, and so is what is no short list. */
  words(path: string): readonly string[] | null {
    const value = this.value(path);
    if (value === undefined || value === null) return null;
    return Array.isArray(value) ? value.map(toWord) : UNCLEAR_WORDS;
  }
}

const UNCLEAR_WORDS: readonly string[] = [UNCLEAR];

function toWord(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value.toLowerCase() : UNCLEAR;
}

function parseCount(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

function spaceEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at]! <= 0x20) at++;
  return at;
}

function spaceStart(bytes: Uint8Array, end: number): number {
  let at = end;
  while (at > 0 && bytes[at - 1]! <= 0x20) at--;
  return at;
}

/** Reads one request: told of its records as they come, then of the whole body. */
export interface RequestReader extends RecordReceiver {
  facts(body: RequestBody): RequestFacts;
}

/** A route whose request is read by scanning the body with `plan`. */
export function inferenceRoute(operation: string, plan: ScanPlan, open: () => RequestReader): InferenceRoute {
  function* readRequestInSlices(bytes: Uint8Array): Generator<undefined, RequestFacts, undefined> {
    const reader = open();
    const scan = openScan(bytes, plan, reader);
    while (!step(scan)) yield;
    return reader.facts(new RequestBody(bytes, scan));
  }
  function readRequest(bytes: Uint8Array): RequestFacts {
    const reader = open();
    const scan = openScan(bytes, plan, reader);
    while (!step(scan));
    return reader.facts(new RequestBody(bytes, scan));
  }
  return { kind: 'inference', operation, readRequest, readRequestInSlices };
}

function openScan(bytes: Uint8Array, plan: ScanPlan, reader: RequestReader): JsonScan {
  try {
    return new JsonScan(bytes, plan, reader);
  } catch (error) {
    throw asInvalid(error);
  }
}

function step(scan: JsonScan): boolean {
  try {
    return scan.step(SCAN_STEP_WORK);
  } catch (error) {
    throw asInvalid(error);
  }
}

function asInvalid(error: unknown): unknown {
  return error instanceof ScanError
    ? new TollbookError('invalid', `The request body ${error.message}.`, error.path)
    : error;
}
