import { TollbookError } from '../domain/errors.ts';
import { type JsonCursor, JsonCursorError } from '../lib/json/cursor.ts';
import type { JsonObject } from '../lib/json/values.ts';
import type { BatchLine, RequestFacts } from './provider.ts';

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

/** Passes lines on, and refuses a body that breaks off or is no JSON. */
export function* refuseBroken(lines: Generator<RequestFacts | undefined>): Generator<RequestFacts | undefined> {
  try {
    yield* lines;
  } catch (error) {
    if (error instanceof JsonCursorError) throw new TollbookError('invalid', `The request body ${error.message}.`);
    throw error;
  }
}

/** Reads an answer that is in a line of results. */
export function readDocument(open: RequestFacts['openReader'], answer: JsonObject): BatchLine {
  const reader = open(JSON_ANSWER);
  reader.push(new TextEncoder().encode(JSON.stringify(answer)));
  reader.end();
  const usage = reader.usage();
  return usage ? { usage, model: reader.model } : 'unknown';
}
