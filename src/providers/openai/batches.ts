import { TollbookError } from '../../domain/errors.ts';
import { parseSlice } from '../../lib/json/bytes.ts';
import { JsonCursor } from '../../lib/json/cursor.ts';
import { asMembers, asObject, asText, type JsonObject } from '../../lib/json/values.ts';
import {
  BatchNames,
  inRequest,
  openBatchReader,
  readBilledCount,
  readDocument,
  readMembers,
  readNamed,
  refuseBroken,
} from '../batch-reader.ts';
import type {
  BatchFile,
  BatchForm,
  BatchLine,
  BatchRequest,
  FileBatchRoute,
  InferenceRoute,
  RequestFacts,
} from '../provider.ts';
import { readNoCost } from '../stated-cost.ts';
import { openChatReader } from './chat-answer.ts';

/** Routes whose requests a batch may have, by path without the version. */
type BatchedRoutes = Readonly<Record<string, InferenceRoute | undefined>>;

const RESPONSES = '/responses';
/** Paths whose answers say all that they cost. */
const BATCHED_PATHS = ['/chat/completions', RESPONSES, '/embeddings', '/completions'];
const FILE_ID = /^file[-_]\w[\w-]{0,127}$/;
/** Another window may have another price. */
const WINDOW = '24h';
const BATCH_MEMBERS = ['input_file_id', 'endpoint', 'completion_window', 'metadata', 'output_expires_after'];
const LINE_MEMBERS = ['custom_id', 'method', 'url', 'body'];

/** `POST /v1/batches` */
export function openaiBatchesRoute(routes: BatchedRoutes): FileBatchRoute {
  return {
    kind: 'batch',
    operation: 'batches',
    upstreamPath: '/v1/batches',
    readFile: (body) => readBatchBody(body, routes),
    openReader: () => openBatchReader('id'),
  };
}

/** OpenAI API reference, "Batch". Requests that failed, or were not answered in time, are not billed. */
export function batchForm(routes: BatchedRoutes): BatchForm {
  return {
    path: (id) => `/v1/batches/${encodeURIComponent(id)}`,
    readEnd(batch) {
      const { status, output_file_id: output, error_file_id: errors, request_counts: counts } = asMembers(batch);
      if (!ENDED.has(status)) return null;
      const files = [asText(output), asText(errors)].filter((id) => id !== null);
      const { completed } = asMembers(counts);
      // Its file was refused, so that no request was sent.
      const isRefused = status === 'failed' && files.length === 0 && !counts;
      return {
        resultPaths: files.map((id) => `/v1/files/${encodeURIComponent(id)}/content`),
        billed: isRefused ? 0 : readBilledCount(completed),
      };
    },
    readResult: (line) => readOpenaiResult(line, routes),
  };
}

const ENDED: ReadonlySet<unknown> = new Set(['completed', 'failed', 'expired', 'cancelled']);

/** Reads the body that creates a batch: it names a file that has the requests. */
function readBatchBody(body: Uint8Array, routes: BatchedRoutes): BatchFile {
  const { said } = refuseBroken(() => readWholeObject(body, BATCH_MEMBERS));
  const { input_file_id: file, endpoint, completion_window: window } = said;
  if (typeof file !== 'string' || !FILE_ID.test(file))
    throw new TollbookError('invalid', '"input_file_id" must be the id of an uploaded file.', 'input_file_id');
  if (window !== WINDOW)
    throw new TollbookError('invalid', `"completion_window" must be "${WINDOW}".`, 'completion_window');
  const path = BATCHED_PATHS.find((each) => endpoint === `/v1${each}`);
  const route = path === undefined ? undefined : routes[path];
  if (!route) {
    const known = BATCHED_PATHS.map((each) => `/v1${each}`).join(', ');
    throw new TollbookError(
      'invalid',
      `"endpoint" must be one of ${known}: others say too little of their cost.`,
      'endpoint',
    );
  }
  const names = new BatchNames();
  const asked = { url: endpoint, route };
  return { path: `/v1/files/${file}/content`, readLine: (line) => readInputLine(line, asked, names) };
}

/** Reads a whole document with the members of one object. */
function readWholeObject(body: Uint8Array, names: readonly string[], keep = ''): ReturnType<typeof readMembers> {
  const cursor = new JsonCursor(body);
  const read = readMembers(cursor, body, names, keep);
  cursor.end();
  return read;
}

/** Endpoint of the requests of a batch. */
interface BatchEndpoint {
  readonly url: unknown;
  readonly route: InferenceRoute;
}

function* readInputLine(
  line: Uint8Array,
  { url, route }: BatchEndpoint,
  names: BatchNames,
): Generator<undefined, BatchRequest> {
  const number = names.next();
  const { said, kept } = inRequest(number, () => readWholeObject(line, LINE_MEMBERS, 'body'));
  const name = names.add(said['custom_id']);
  if (said['method'] !== 'POST' || said['url'] !== url || kept === null)
    throw new TollbookError('invalid', `${name} needs "method": "POST", the endpoint as "url", and "body".`);
  const request = yield* readNamed(name, route, kept);
  const { runsOn, stream, demand } = request.facts;
  if (runsOn) throw new TollbookError('invalid', `${name} may not set "background".`, 'background');
  if (stream) throw new TollbookError('invalid', `${name}: "stream" may not be true in a batch.`, 'stream');
  if (demand.outputMax === null) inRequest(name, () => requireCountsAsMaxima(kept));
  return request;
}

const MAXIMA = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'];

/** Refuses a maximum that the provider would refuse, too, once the batch runs. */
function requireCountsAsMaxima(body: Uint8Array): void {
  const cursor = new JsonCursor(body);
  for (const member of cursor.members()) {
    const { start, end } = cursor.skip();
    const value = MAXIMA.includes(member) ? parseSlice(body, start, end) : null;
    if (value === null || (typeof value === 'number' && Number.isSafeInteger(value) && value > 0)) continue;
    throw new TollbookError('invalid', `"${member}" must be a positive whole number.`, member);
  }
}

const NOT_BILLED: Readonly<Record<string, 'expired' | 'canceled' | undefined>> = {
  batch_expired: 'expired',
  batch_cancelled: 'canceled',
};

function readOpenaiResult(line: unknown, routes: BatchedRoutes): BatchLine {
  const { response, error } = asMembers(line);
  const answer = asObject(response);
  if (!answer) return asObject(error) ? (NOT_BILLED[asText(asMembers(error)['code']) ?? ''] ?? 'errored') : 'unknown';
  const { status_code: status, body } = answer;
  if (typeof status === 'number' && status >= 400) return 'errored';
  const found = asObject(body);
  if (status !== 200 || !found) return 'unknown';
  return readDocument(found['object'] === 'response' ? openResponse(found, routes) : openPlain, found);
}

const openPlain: RequestFacts['openReader'] = (head) => openChatReader(false, head, readNoCost);

/** Opens a reader for the answer to a request with the same tools, whose sizes decide fees. */
function openResponse(response: JsonObject, routes: BatchedRoutes): RequestFacts['openReader'] {
  const request = { model: asText(response['model']) ?? '', input: '', tools: response['tools'] ?? [] };
  const facts = routes[RESPONSES]?.readRequest(new TextEncoder().encode(JSON.stringify(request)));
  return (head) => (facts ?? { openReader: openPlain }).openReader(head);
}
