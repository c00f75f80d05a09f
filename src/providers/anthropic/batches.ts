import { TollbookError } from '../../domain/errors.ts';
import { JsonCursor } from '../../lib/json/cursor.ts';
import { asMembers, asObject, asText } from '../../lib/json/values.ts';
import {
  batchMembers,
  BatchNames,
  inRequest,
  openBatchReader,
  readBilledCount,
  readDocument,
  readMembers,
  readNamed,
  refuseBroken,
} from '../batch-reader.ts';
import type { BatchForm, BatchLine, BatchRequest, InferenceRoute, ListBatchRoute } from '../provider.ts';
import { openMessageReader } from './answer.ts';

/** `POST /v1/messages/batches` */
export function batchesRoute(messages: InferenceRoute): ListBatchRoute {
  return {
    kind: 'batch',
    operation: 'batches',
    upstreamPath: '/v1/messages/batches',
    readLines: (body) => readRequests(body, messages),
    openReader: () => openBatchReader('id'),
  };
}

/** Anthropic API reference, "Message Batches". Requests that failed, expired or were canceled are not billed. */
export const MESSAGE_BATCHES: BatchForm = {
  path: (id) => `/v1/messages/batches/${encodeURIComponent(id)}`,
  readEnd(batch) {
    const { id, processing_status: status, request_counts: counts } = asMembers(batch);
    if (status !== 'ended') return null;
    const { succeeded } = asMembers(counts);
    return { resultPaths: [`/v1/messages/batches/${String(id)}/results`], billed: readBilledCount(succeeded) };
  },
  readResult,
};

/** Reads the requests one by one: each step may find that the body breaks off. */
function* readRequests(body: Uint8Array, messages: InferenceRoute): Generator<BatchRequest | undefined> {
  const found = findRequests(body);
  for (let next = refuseBroken(() => found.next()); !next.done; next = refuseBroken(() => found.next())) {
    const { name, params } = next.value;
    const request = yield* readNamed(name, messages, params);
    if (request.facts.demand.outputMax === null)
      throw new TollbookError('invalid', `${name}: ${NO_MAXIMUM}`, 'max_tokens');
    if (request.facts.stream)
      throw new TollbookError('invalid', `${name}: "stream" may not be true in a batch.`, 'stream');
    yield request;
  }
}

const NO_MAXIMUM = '"max_tokens" must be a whole number.';

interface FoundRequest {
  readonly name: string;
  readonly params: Uint8Array;
}

function* findRequests(body: Uint8Array): Generator<FoundRequest> {
  const cursor = new JsonCursor(body);
  const names = new BatchNames();
  for (const _ of batchMembers(cursor, ['requests'])) yield* findEach(cursor, body, names);
  cursor.end();
}

function* findEach(cursor: JsonCursor, body: Uint8Array, names: BatchNames): Generator<FoundRequest> {
  for (const _ of cursor.elements()) yield findRequest(cursor, body, names);
}

function findRequest(cursor: JsonCursor, body: Uint8Array, names: BatchNames): FoundRequest {
  const number = names.next();
  const { said, kept } = inRequest(number, () => readMembers(cursor, body, ['custom_id', 'params'], 'params'));
  const name = names.add(said['custom_id']);
  if (kept !== null) return { name, params: kept };
  throw new TollbookError('invalid', `${name} needs "params", the body of its request.`, 'params');
}

function readResult(line: unknown): BatchLine {
  const result = asObject(asMembers(line)['result']);
  const type = asText(result?.['type']);
  if (type === 'errored' || type === 'canceled' || type === 'expired') return type;
  const message = asObject(result?.['message']);
  return type === 'succeeded' && message ? readDocument(openMessageReader, message) : 'unknown';
}
