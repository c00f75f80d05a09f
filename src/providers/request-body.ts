import { TollbookError } from '../domain/errors.ts';
import { SECRET_PREFIX } from '../domain/identity/secret.ts';
import { type FoundMember, type FoundMembers, JsonScan, type RecordReceiver } from '../lib/json/scan.ts';
import { ScanError } from '../lib/json/scan-names.ts';
import type { ScanPlan } from '../lib/json/scan-plan.ts';
import { type ScanRecord, ScanValues, UNCLEAR } from '../lib/json/scan-record.ts';
import type { MemberGap, MemberPlace } from './body-edits.ts';
import type { DeploymentModels, InferenceRoute, RequestFacts, BodySplice, StreamCostForm } from './provider.ts';

/**
 * Work per step, in bytes of plain text. A step takes less than two milliseconds and is enough to scan most bodies
 * completely.
 */
const SCAN_STEP_WORK = 1_048_576;
/** Longest model name. The limit keeps keys, logs and the ledger small. */
export const MODEL_CHARS_MAX = 256;
/** Answers per request. Providers allow far fewer. */
const ANSWERS_MAX = 10_000;
/** Characters of an unknown field shown in errors. */
const STRANGER_CHARS_MAX = 64;
/** End and indentation of a line; indentation of many levels has further tokens. */
const LINE_TOKENS = 2;
const LEVELS_PER_TOKEN = 4;
/** Brackets, slash and line ends of the two tags around a value. */
const TAG_TOKENS = 8;
const COMMA = 0x2c;
const CLOSE_OBJECT = 0x7d;

/** A scanned request body: places and values of its members. */
export class RequestBody extends ScanValues {
  readonly bytes: Uint8Array;
  readonly #scan: JsonScan;
  readonly #deployments: DeploymentModels | null;
  #gap: MemberGap | null = null;

  constructor(bytes: Uint8Array, scan: JsonScan, deployments: DeploymentModels | null) {
    super();
    this.bytes = bytes;
    this.#scan = scan;
    this.#deployments = deployments;
  }

  find(path: string): FoundMember | undefined {
    return this.#scan.found.get(path);
  }

  /** Bytes of the body, and those by which its text may grow when a tokenizer normalizes it. */
  get textBytes(): number {
    return this.bytes.length + this.#scan.growth;
  }

  /**
   * Bytes by which tools grow in the compact form that providers write them in for their own models: a space or a bar
   * around each value and name.
   */
  get compactGrowth(): number {
    return this.#scan.lines + this.#scan.names;
  }

  /**
   * Tokens by which tools grow in the chat template of an open-weight model. Templates write a value in a separate line,
   * indented by four spaces a level (vocabularies have runs of sixteen spaces), or between two tags with its name.
   */
  get templateGrowth(): number {
    const { lines, lineDepths, names, nameBytes } = this.#scan;
    return LINE_TOKENS * lines + Math.ceil(lineDepths / LEVELS_PER_TOKEN) + TAG_TOKENS * names + nameBytes;
  }

  /** All members found, by path. They do not keep the body in memory. */
  get found(): FoundMembers {
    return this.#scan.found;
  }

  /** Phrase for a top-level member that the plan does not name; null = none. */
  get stranger(): string | null {
    const name = this.#scan.stranger;
    return name === null ? null : `${name.slice(0, STRANGER_CHARS_MAX)}, an unknown field`;
  }

  /** Returns the model that a field names, or the model of the deployment. Throws if it is missing or invalid. */
  model(field = 'model'): string {
    const name = requireModelName(this.value(field), field);
    return this.#deployments?.get(name) ?? name;
  }

  /** Returns true if a name or `name=value` pair that the plan notes occurs; without a name, if any occurs. */
  notes(name?: string): boolean {
    const { noted } = this.#scan;
    return name === undefined ? noted.size > 0 : noted.has(name);
  }

  notesAny(names: readonly string[]): boolean {
    const { noted } = this.#scan;
    return noted.size > 0 && names.some((name) => noted.has(name));
  }

  /** Returns the splice that removes a top-level member with one adjacent comma. */
  cut({ nameStart, end }: FoundMember): BodySplice {
    const next = spaceEnd(this.bytes, end);
    if (this.bytes[next] === COMMA) return { start: nameStart, end: next + 1, text: '' };
    const last = spaceStart(this.bytes, nameStart);
    return { start: this.bytes[last - 1] === COMMA ? last - 1 : nameStart, end, text: '' };
  }

  /** Returns the gap for members in the object whose opening brace is at `brace`. */
  gapAt(brace: number): MemberGap {
    return gapAfter(this.bytes, brace);
  }

  /** The gap of the body itself, always the same object. */
  get gap(): MemberGap {
    return (this.#gap ??= this.gapAt(spaceEnd(this.bytes, 0)));
  }

  /** Returns the place of a top-level member. */
  place(name: string): MemberPlace {
    return { span: this.find(name) ?? null, gap: this.gap, name };
  }

  /** Returns a whole number from 0 up, also from text, as lenient servers accept it; null = absent or invalid. */
  lenientCount(path: string): number | null {
    return parseCount(this.value(path));
  }

  /** Returns the number of requested answers. Throws if it is not a whole number, which servers read differently, or too large. */
  answers(path: string): number {
    const value = this.value(path);
    if (value === null || !this.find(path)) return 1;
    const count = parseCount(value);
    if (count === null || count > ANSWERS_MAX)
      throw new TollbookError('invalid', `"${path}" must be a whole number, at most ${ANSWERS_MAX}.`, path);
    return Math.max(1, count);
  }

  /** Returns a word in lower case; null = absent or null. A value that is empty, too long or not a text is `UNCLEAR`. */
  word(path: string): string | null {
    return this.text(path)?.toLowerCase() ?? null;
  }

  /** Returns the words of a list in lower case; null = absent or null. An invalid list or element is `UNCLEAR`. */
  words(path: string): readonly string[] | null {
    const value = this.value(path);
    if (value === undefined || value === null) return null;
    return Array.isArray(value) ? value.map(toWord) : UNCLEAR_WORDS;
  }
}

/** Returns the name of a model. Throws if it is missing or invalid. */
export function requireModelName(value: unknown, field = 'model'): string {
  if (typeof value !== 'string' || value === '')
    throw new TollbookError('invalid', `The request body must contain "${field}", the name of a model.`, field);
  if (value.length > MODEL_CHARS_MAX || !/^[\x21-\x7e]+$/.test(value))
    throw new TollbookError(
      'invalid',
      `"${field}" must be at most ${MODEL_CHARS_MAX} plain characters without spaces.`,
      field,
    );
  // The model's name is stored in the ledger and shown in reports.
  if (value.includes(SECRET_PREFIX))
    throw new TollbookError('invalid', `"${field}" contains a Tollbook secret. Enter the name of a model.`, field);
  return value;
}

const UNCLEAR_WORDS: readonly string[] = [UNCLEAR];

function toWord(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value.toLowerCase() : UNCLEAR;
}

function parseCount(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

/** Returns the gap for members in the object whose opening brace is at `brace`. */
function gapAfter(bytes: Uint8Array, brace: number): MemberGap {
  const comma = bytes[spaceEnd(bytes, brace + 1)] !== CLOSE_OBJECT;
  return { start: brace + 1, end: brace + 1, comma };
}

/** Returns the place of a member of a record, which may be kept after the record is used again. */
export function recordPlace(record: ScanRecord, name: string): MemberPlace {
  const span = record.find(name);
  return { span: span ? { ...span } : null, gap: gapAfter(record.bytes, record.brace), name };
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

/** Reads one request: receives its records during the scan, then the whole body. */
export interface RequestReader extends RecordReceiver {
  facts(body: RequestBody): RequestFacts;
}

/** Returns a route that reads its request by scanning the body with `plan`. */
export function inferenceRoute(
  operation: string,
  plan: ScanPlan,
  open: () => RequestReader,
  streamCost: StreamCostForm | null = null,
  deployments: DeploymentModels | null = null,
): InferenceRoute {
  function* readRequestInSlices(bytes: Uint8Array): Generator<undefined, RequestFacts, undefined> {
    const reader = open();
    const scan = openScan(bytes, plan, reader);
    while (!step(scan)) yield;
    return reader.facts(new RequestBody(bytes, scan, deployments));
  }
  function readRequest(bytes: Uint8Array): RequestFacts {
    const reader = open();
    const scan = openScan(bytes, plan, reader);
    while (!step(scan));
    return reader.facts(new RequestBody(bytes, scan, deployments));
  }
  return { kind: 'inference', operation, streamCost, readRequest, readRequestInSlices };
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
