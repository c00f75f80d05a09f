import { TollbookError } from '../core/errors.ts';
import { SECRET_PREFIX } from '../core/secret.ts';
import { parseSlice } from '../lib/json-bytes.ts';
import { type Found, JsonScan } from '../lib/json-scan.ts';
import { ScanError } from '../lib/json-scan-names.ts';
import type { ScanPlan } from '../lib/json-scan-plan.ts';
import type { InferenceRoute, RequestFacts, Splice } from './provider.ts';

/** Bytes scanned between two chances for other work. */
const SCAN_STEP_BYTES = 1_048_576;
/** Longer names are no model's; the bound keeps keys, logs and the book small. */
const MODEL_CHARS_MAX = 256;
/** Values that are read are short words and numbers; a longer one is treated as absent. */
const VALUE_BYTES_MAX = 4_096;
const COMMA = 0x2c;
/** Begins `true` and no other value. */
const LETTER_T = 0x74;

/** A request body that has been scanned: where its members stand and what they say. */
export class RequestBody {
  readonly bytes: Uint8Array;
  readonly #scan: JsonScan;

  constructor(bytes: Uint8Array, scan: JsonScan) {
    this.bytes = bytes;
    this.#scan = scan;
  }

  find(path: string): Found | undefined {
    return this.#scan.found.get(path);
  }

  /** The member's value; undefined = absent, or too long to be one that is read. */
  value(path: string): unknown {
    const found = this.find(path);
    return found && found.end - found.start <= VALUE_BYTES_MAX
      ? parseSlice(this.bytes, found.start, found.end)
      : undefined;
  }

  /** The member is `true`. */
  isTrue(path: string): boolean {
    const found = this.find(path);
    return found !== undefined && this.bytes[found.start] === LETTER_T;
  }

  /** The member is there with a value other than null and false. */
  uses(path: string): boolean {
    const found = this.find(path);
    if (!found) return false;
    const value = this.value(path);
    return value !== null && value !== false;
  }

  /** A whole number from 0 up; null = absent or something else. */
  count(path: string): number | null {
    const value = this.value(path);
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
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

  /** Any of the names or `name=value` pairs that the plan notes occurs. */
  notes(...names: string[]): boolean {
    return names.length === 0 ? this.#scan.noted.size > 0 : names.some((name) => this.#scan.noted.has(name));
  }

  /** Cuts a top-level member out, with one of the commas beside it. */
  cut({ nameStart, end }: Found): Splice {
    const next = spaceEnd(this.bytes, end);
    if (this.bytes[next] === COMMA) return { start: nameStart, end: next + 1, text: '' };
    const last = spaceStart(this.bytes, nameStart);
    return { start: this.bytes[last - 1] === COMMA ? last - 1 : nameStart, end, text: '' };
  }

  /** Puts a member first into the object whose opening brace is at `brace`. */
  insert(brace: number, name: string, json: string): Splice {
    const first = spaceEnd(this.bytes, brace + 1);
    const comma = this.bytes[first] === 0x7d ? '' : ',';
    return { start: brace + 1, end: brace + 1, text: `"${name}":${json}${comma}` };
  }

  /** Index of the body's own opening brace. */
  get brace(): number {
    return spaceEnd(this.bytes, 0);
  }
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

/** A route whose request is read by scanning the body with `plan`. */
export function inferenceRoute(
  operation: string,
  plan: ScanPlan,
  read: (body: RequestBody) => RequestFacts,
): InferenceRoute {
  function* readRequestInSlices(bytes: Uint8Array): Generator<undefined, RequestFacts, undefined> {
    const scan = openScan(bytes, plan);
    while (!step(scan)) yield;
    return read(new RequestBody(bytes, scan));
  }
  function readRequest(bytes: Uint8Array): RequestFacts {
    const scan = openScan(bytes, plan);
    while (!step(scan));
    return read(new RequestBody(bytes, scan));
  }
  return { kind: 'inference', operation, readRequest, readRequestInSlices };
}

function openScan(bytes: Uint8Array, plan: ScanPlan): JsonScan {
  try {
    return new JsonScan(bytes, plan);
  } catch (error) {
    throw asInvalid(error);
  }
}

function step(scan: JsonScan): boolean {
  try {
    return scan.step(SCAN_STEP_BYTES);
  } catch (error) {
    throw asInvalid(error);
  }
}

function asInvalid(error: unknown): unknown {
  return error instanceof ScanError
    ? new TollbookError('invalid', `The request body ${error.message}.`, error.path)
    : error;
}
