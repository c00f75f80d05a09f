import { JsonCursor } from '../../lib/json/cursor.ts';
import { asMembers, asObject, asText } from '../../lib/json/values.ts';
import { batchMembers, openBatchReader, readBilledCount, readDocument, refuseBroken } from '../batch-reader.ts';
import type { BatchForm, BatchLine, InferenceRoute, ListBatchRoute, RequestFacts } from '../provider.ts';
import { openMessageReader } from './answer.ts';

/** `POST /v1/messages/batches` */
export function batchesRoute(messages: InferenceRoute): ListBatchRoute {
  return {
    kind: 'batch',
    operation: 'batches',
    upstreamPath: '/v1/messages/batches',
    readLines: (body) => readRequests(body, messages),
    openReader: openBatchReader,
  };
}

/** Anthropic API reference, "Message Batches". Requests that failed, expired or were canceled are not billed. */
export const MESSAGE_BATCHES: BatchForm = {
  path: (id) => `/v1/messages/batches/${id}`,
  readEnd(batch) {
    const { id, processing_status: status, request_counts: counts } = asMembers(batch);
    if (status !== 'ended') return null;
    const { succeeded } = asMembers(counts);
    return { resultPaths: [`/v1/messages/batches/${String(id)}/results`], billed: readBilledCount(succeeded) };
  },
  readResult,
};

/** Reads the requests one by one: each step may find that the body breaks off. */
function* readRequests(body: Uint8Array, messages: InferenceRoute): Generator<RequestFacts | undefined> {
  const params = findParams(body);
  for (let next = refuseBroken(() => params.next()); !next.done; next = refuseBroken(() => params.next()))
    yield yield* messages.readRequestInSlices(next.value);
}

function* findParams(body: Uint8Array): Generator<Uint8Array> {
  const cursor = new JsonCursor(body);
  for (const _ of batchMembers(cursor, ['requests'])) yield* findEach(cursor, body);
  cursor.end();
}

function* findEach(cursor: JsonCursor, body: Uint8Array): Generator<Uint8Array> {
  for (const _ of cursor.elements())
    for (const name of batchMembers(cursor, ['custom_id', 'params'])) {
      const { start, end } = cursor.skip();
      if (name === 'params') yield body.subarray(start, end);
    }
}

function readResult(line: unknown): BatchLine {
  const result = asObject(asMembers(line)['result']);
  const type = asText(result?.['type']);
  if (type === 'errored' || type === 'canceled' || type === 'expired') return type;
  const message = asObject(result?.['message']);
  return type === 'succeeded' && message ? readDocument(openMessageReader, message) : 'unknown';
}
