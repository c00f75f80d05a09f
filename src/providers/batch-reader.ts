import { hash } from 'node:crypto';
import { TollbookError } from '../domain/errors.ts';
import type { Usage } from '../domain/usage/usage.ts';
import { type JsonCursor, JsonCursorError } from '../lib/json/cursor.ts';
import { parseSlice } from '../lib/json/bytes.ts';
import { capture, look } from '../lib/json/pick.ts';
import { asCount, asText, type JsonObject } from '../lib/json/values.ts';
import type { UsageTally } from './answer-tally.ts';
import { type ErrorNames, readErrorNames } from './error-names.ts';
import type { BatchLine, BatchRequest, InferenceRoute, RequestFacts, UsageReader } from './provider.ts';
import { DocumentReader } from './usage-reader.ts';

const NAME_SHOWN_MAX = 64;
const JSON_ANSWER = { status: 200, contentType: 'application/json', headers: {} };

/** Yields the members of an object. Throws if it has another, or one twice, which the provider might read in its place. */
export function* batchMembers(cursor: JsonCursor, names: readonly string[]): Generator<string> {
  const seen = new Set<string>();
  for (const name of cursor.members()) {
    const shown = name.slice(0, NAME_SHOWN_MAX);
    if (!names.includes(name)) throw new TollbookError('invalid', `The gateway does not know "${shown}" in a batch.`);
    if (seen.has(name)) throw new TollbookError('invalid', `"${shown}" occurs twice in the batch.`);
    seen.add(name);
    yield name;
  }
}

interface ReadMembers {
  readonly said: JsonObject;
  /** The member that is kept as it is; null = there is none. */
  readonly kept: Uint8Array | null;
}

/** Reads the members of an object, except for one that is kept as bytes. */
export function readMembers(cursor: JsonCursor, body: Uint8Array, names: readonly string[], keep = ''): ReadMembers {
  const said: Record<string, unknown> = {};
  let kept: Uint8Array | null = null;
  for (const name of batchMembers(cursor, names)) {
    const { start, end } = cursor.skip();
    if (name === keep) kept = body.subarray(start, end);
    else said[name] = parseSlice(body, start, end);
  }
  return { said, kept };
}

/** Anthropic API reference, "Message Batches"; other providers take fewer. */
const REQUESTS_MAX = 100_000;

/** Names the requests of one batch. */
export class BatchNames {
  /** Long ids as their hash, so that those of all requests take little memory. */
  readonly #ids = new Set<string>();
  #count = 0;

  /** Returns the name of the next request as long as its id is not known. */
  next(): string {
    this.#count += 1;
    if (this.#count > REQUESTS_MAX)
      throw new TollbookError('invalid', `A batch may have ${REQUESTS_MAX} requests. Split it.`);
    return `Request ${this.#count}`;
  }

  /** Returns the name with the id. Throws for an id by which the result could not be found. */
  add(id: unknown): string {
    const name = `Request ${this.#count}`;
    if (typeof id !== 'string' || id === '')
      throw new TollbookError(
        'invalid',
        `${name} needs "custom_id", a text by which its result is found.`,
        'custom_id',
      );
    const shown = `${name} (${JSON.stringify(id.slice(0, NAME_SHOWN_MAX))})`;
    const kept = id.length > NAME_SHOWN_MAX ? hash('sha256', id, 'base64url') : id;
    if (this.#ids.has(kept))
      throw new TollbookError('invalid', `${shown} has the "custom_id" of an earlier request.`, 'custom_id');
    this.#ids.add(kept);
    return shown;
  }
}

/** Adds the name of a request to an error of it. */
export function nameRequest(error: unknown, name: string): unknown {
  if (!(error instanceof TollbookError)) return error;
  const { type, message, param, retryAfter, facts, headers } = error;
  const extras = { headers, ...(facts && { facts }), ...(retryAfter !== undefined && { retryAfter }) };
  return new TollbookError(type, `${name}: ${message}`, param, extras);
}

/** Runs `read` for a request, and names it in errors. */
export function inRequest<Read>(name: string, read: () => Read): Read {
  try {
    return refuseBroken(read);
  } catch (error) {
    throw nameRequest(error, name);
  }
}

/** Larger requests are read in slices. */
const WHOLE_BYTES_MAX = 32_768;

/** Reads the body of a request, in slices where it takes long. */
export function* readNamed(name: string, route: InferenceRoute, body: Uint8Array): Generator<undefined, BatchRequest> {
  if (body.length <= WHOLE_BYTES_MAX) return { name, facts: inRequest(name, () => route.readRequest(body)) };
  try {
    return { name, facts: yield* route.readRequestInSlices(body) };
  } catch (error) {
    throw nameRequest(error, name);
  }
}

/** Runs `read`, and refuses bytes that break off or are no JSON. */
export function refuseBroken<Read>(read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    if (error instanceof JsonCursorError) throw new TollbookError('invalid', `The batch ${error.message}.`);
    throw error;
  }
}

/** Reads how many requests of an ended batch are billed; NaN = the provider does not say. */
export function readBilledCount(count: unknown): number {
  return typeof count === 'number' ? asCount(count) : Number.NaN;
}

/** Reads an answer that is in a line of results. */
export function readDocument(open: RequestFacts['openReader'], answer: JsonObject): BatchLine {
  const reader = open(JSON_ANSWER);
  reader.push(new TextEncoder().encode(JSON.stringify(answer)));
  reader.end();
  const usage = reader.usage();
  return usage ? { usage, model: reader.model } : 'unknown';
}

const ID = 0;
const ERROR = 1;
const WORD_BYTES_MAX = 256;

/**
 * Opens a reader for the answer that a batch was created. Its usage comes with its results; what this says of it may be 0.
 * @param idMember the member with the id
 */
export function openBatchReader(idMember: 'id' | 'name'): UsageReader {
  return new DocumentReader(BATCHES_BY[idMember], new BatchTally());
}

const BATCHES_BY = {
  id: look({ id: capture(ID, WORD_BYTES_MAX), error: capture(ERROR) }),
  name: look({ name: capture(ID, WORD_BYTES_MAX), error: capture(ERROR) }),
};

class BatchTally implements UsageTally {
  readonly finished = false;
  readonly errored = false;
  readonly sawUsage = false;
  readonly model = null;
  error: ErrorNames | null = null;
  responseId: string | null = null;

  receive(slot: number, value: unknown): void {
    if (slot === ID) this.responseId = asText(value);
    else this.error = readErrorNames(value);
  }

  closeDocument(): void {}
  endEvent(): void {}
  end(): void {}

  usage(): Usage | null {
    return null;
  }
}
