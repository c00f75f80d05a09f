import { TollbookError } from '../../domain/errors.ts';
import { parseSlice } from '../../lib/json/bytes.ts';
import { JsonCursor } from '../../lib/json/cursor.ts';
import { asMembers, asObject, asText } from '../../lib/json/values.ts';
import {
  batchMembers,
  BatchNames,
  inRequest,
  openBatchReader,
  readBilledCount,
  readDocument,
  readNamed,
  refuseBroken,
} from '../batch-reader.ts';
import type { BatchForm, BatchLine, BatchRequest, EndedBatch, InferenceRoute, ListBatchRoute } from '../provider.ts';
import { openGenerateReader } from './answer.ts';

const BATCH_NAME = /^batches\/[\w-]+$/;

/** `POST /{version}/models/{model}:batchGenerateContent`, with the requests in its body. */
export function batchGenerateRoute(version: string, model: string, generate: InferenceRoute): ListBatchRoute {
  return {
    kind: 'batch',
    operation: 'batches',
    upstreamPath: `/${version}/models/${model}:batchGenerateContent`,
    readLines: (body) => readGeminiRequests(body, model, generate),
    openReader: () => openBatchReader('name'),
  };
}

/** Gemini API reference, "Batch API": an operation, which has all results when it is done. Failed requests are not billed. */
export const GEMINI_BATCHES: BatchForm = {
  path: (id) => (BATCH_NAME.test(id) ? `/v1beta/${id}` : null),
  readEnd: readOperation,
  readResult: readGeminiResult,
};

const ENDED: ReadonlySet<unknown> = new Set(
  ['SUCCEEDED', 'FAILED', 'CANCELLED', 'EXPIRED'].map((state) => `BATCH_STATE_${state}`),
);

function readOperation(operation: unknown): EndedBatch | null {
  const { metadata, response } = asMembers(operation);
  const { state, batchStats, output } = asMembers(metadata);
  if (!ENDED.has(state)) return null;
  const { inlinedResponses } = asMembers(asObject(response) ?? output);
  const { inlinedResponses: results } = asMembers(inlinedResponses);
  return { resultPaths: [], results: Array.isArray(results) ? results : [], billed: readBilled(batchStats) };
}

/** Counts are texts, and one that is 0 is left out. */
function readBilled(stats: unknown): number {
  const { requestCount, successfulRequestCount: billed } = asMembers(stats);
  if (requestCount === undefined) return Number.NaN;
  return readBilledCount(typeof billed === 'string' ? Number(billed) : (billed ?? 0));
}

function readGeminiResult(line: unknown): BatchLine {
  const { response, error } = asMembers(line);
  const answer = asObject(response);
  if (!answer) return asObject(error) ? 'errored' : 'unknown';
  const request = { model: asText(answer['modelVersion']) ?? '', stream: false, candidates: 1, geo: null };
  return readDocument((head) => openGenerateReader(request, head), answer);
}

function* readGeminiRequests(
  body: Uint8Array,
  model: string,
  generate: InferenceRoute,
): Generator<BatchRequest | undefined> {
  const found = findGeminiRequests(body, model);
  for (let next = refuseBroken(() => found.next()); !next.done; next = refuseBroken(() => found.next())) {
    const { name, request } = next.value;
    yield yield* readNamed(name, generate, request);
  }
}

interface FoundRequest {
  readonly name: string;
  readonly request: Uint8Array;
}

/** Both `inputConfig` and `input_config` are accepted, as Google does; a member in both is refused. */
function* camelMembers(cursor: JsonCursor, names: readonly string[]): Generator<string> {
  const seen = new Set<string>();
  for (const spelt of batchMembers(cursor, names)) {
    const name = spelt.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (seen.has(name)) throw new TollbookError('invalid', `"${name}" occurs twice in the batch.`);
    seen.add(name);
    yield name;
  }
}

const BATCH_MEMBERS = ['displayName', 'display_name', 'inputConfig', 'input_config', 'priority'];
const INPUT_MEMBERS = ['requests', 'fileName', 'file_name'];
const NO_FILES =
  'The gateway can not bound a batch whose requests are in a file, because Google lets nobody read an uploaded file. Send the requests in "inputConfig.requests", up to 20 MB at a time.';

function* findGeminiRequests(body: Uint8Array, model: string): Generator<FoundRequest> {
  const cursor = new JsonCursor(body);
  for (const _ of camelMembers(cursor, ['batch']))
    for (const name of camelMembers(cursor, BATCH_MEMBERS))
      if (name === 'inputConfig') yield* findInput(cursor, body, model);
      else cursor.skip();
  cursor.end();
}

function* findInput(cursor: JsonCursor, body: Uint8Array, model: string): Generator<FoundRequest> {
  const names = new BatchNames();
  for (const name of camelMembers(cursor, INPUT_MEMBERS)) {
    if (name === 'fileName') throw new TollbookError('invalid', NO_FILES, 'batch.inputConfig.fileName');
    for (const _ of camelMembers(cursor, ['requests'])) yield* eachGeminiRequest(cursor, body, { model, names });
  }
}

interface BatchContext {
  readonly model: string;
  readonly names: BatchNames;
}

function* eachGeminiRequest(
  cursor: JsonCursor,
  body: Uint8Array,
  { model, names }: BatchContext,
): Generator<FoundRequest> {
  for (const _ of cursor.elements()) {
    const name = names.next();
    const request = inRequest(name, () => skipToRequest(cursor, body));
    if (request === null) throw new TollbookError('invalid', `${name} needs "request".`, 'request');
    const said = inRequest(name, () => readModel(request));
    if (said !== undefined && said !== model && said !== `models/${model}`)
      throw new TollbookError('invalid', `${name}: "model" must be that of the address, ${model}.`, 'model');
    yield { name, request };
  }
}

function skipToRequest(cursor: JsonCursor, body: Uint8Array): Uint8Array | null {
  let request: Uint8Array | null = null;
  for (const name of camelMembers(cursor, ['request', 'metadata'])) {
    const { start, end } = cursor.skip();
    if (name === 'request') request = body.subarray(start, end);
  }
  return request;
}

/** Returns the last model that a request names; undefined = none. */
function readModel(request: Uint8Array): unknown {
  const cursor = new JsonCursor(request);
  let model: unknown;
  for (const name of cursor.members()) {
    const { start, end } = cursor.skip();
    if (name === 'model') model = parseSlice(request, start, end);
  }
  return model;
}
