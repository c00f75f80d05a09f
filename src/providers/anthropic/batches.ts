import { JsonCursor } from '../../lib/json/cursor.ts';
import { asCount, asMembers, asObject, asText } from '../../lib/json/values.ts';
import { batchMembers, readDocument, refuseBroken } from '../batch-reader.ts';
import type { BatchForm, BatchLine, BatchRoute, InferenceRoute, RequestFacts } from '../provider.ts';
import { openMessageReader } from './answer.ts';

/** `POST /v1/messages/batches` */
export function batchesRoute(messages: InferenceRoute): BatchRoute {
  return {
    kind: 'batch',
    operation: 'batches',
    upstreamPath: '/v1/messages/batches',
    readLines: (body) => refuseBroken(readRequests(body, messages)),
    openReader: openMessageReader,
  };
}

/** Anthropic API reference, "Message Batches". Requests that failed, expired or were canceled are not billed. */
export const MESSAGE_BATCHES: BatchForm = {
  path: (id) => `/v1/messages/batches/${id}`,
  readEnd(batch) {
    const { id, processing_status: status, request_counts: counts } = asMembers(batch);
    if (status !== 'ended') return null;
    const { succeeded } = asMembers(counts);
    return { resultPaths: [`/v1/messages/batches/${String(id)}/results`], billed: asCount(succeeded) };
  },
  readResult,
};

function* readRequests(body: Uint8Array, messages: InferenceRoute): Generator<RequestFacts | undefined> {
  const cursor = new JsonCursor(body);
  for (const _ of batchMembers(cursor, ['requests'])) yield* readEach(cursor, body, messages);
  cursor.end();
}

function* readEach(
  cursor: JsonCursor,
  body: Uint8Array,
  messages: InferenceRoute,
): Generator<RequestFacts | undefined> {
  for (const _ of cursor.elements())
    for (const name of batchMembers(cursor, ['custom_id', 'params'])) {
      const { start, end } = cursor.skip();
      if (name === 'params') yield yield* messages.readRequestInSlices(body.subarray(start, end));
    }
}

function readResult(line: unknown): BatchLine {
  const result = asObject(asMembers(line)['result']);
  const type = asText(result?.['type']);
  if (type === 'errored' || type === 'canceled' || type === 'expired') return type;
  const message = asObject(result?.['message']);
  return type === 'succeeded' && message ? readDocument(openMessageReader, message) : 'unknown';
}
