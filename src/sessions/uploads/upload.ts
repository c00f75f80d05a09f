import { setTimeout } from 'node:timers/promises';
import { buildRequest, type ClientRequest } from '../../contract/client.ts';
import type { RouteResponse } from '../../contract/routes.ts';
import { ERROR_STATUS, type ErrorType, TollbookError } from '../../domain/errors.ts';
import type { LocalSource } from '../../domain/sessions/local-call.ts';
import { usdFromNano } from '../../domain/money/money.ts';
import type { SessionRecord } from '../../domain/sessions/session-record.ts';
import { splitIntoBatches } from './batches.ts';
import { type EnvVariables, hostEnvironment } from '../reports/local-usage.ts';
import type { PreparedUpload } from './prepare-upload.ts';
import { writeUploadedCalls, type UploadService } from './uploaded-calls.ts';

/** Attempts per batch. */
const TRIES_MAX = 5;
/** Attempts if there is no response at all, when more rarely help. */
const UNANSWERED_TRIES_MAX = 2;
const BACKOFF_MS = 500;
const BACKOFF_MS_MAX = 8_000;
/** Longest wait that a service can ask for. */
const RETRY_AFTER_MS_MAX = 60_000;
const ANSWER_MS_MAX = 30_000;
const NANO_PER_USD = 1e9;

export interface UploadOptions extends UploadService {
  readonly onProgress?: ((done: UploadProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  readonly wait?: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>;
}

interface UploadProgress {
  readonly records: number;
  readonly ofRecords: number;
}

export interface UploadResult {
  readonly records: number;
  readonly sessions: number;
  readonly replaced: number;
  /** US dollars of the uploaded usage, without calls that went through the gateway. */
  readonly cost: number;
  readonly unpricedCalls: number;
  /** Some usage without a price has no known number of calls. */
  readonly unpricedUsage?: true;
}

/**
 * Uploads records in requests of whole groups by session and model. Temporary failures are retried a few times; then the error
 * says how many are left. An upload replaces earlier ones, so repeating it resumes it.
 */
export async function uploadRecords(
  source: LocalSource,
  records: readonly SessionRecord[],
  to: UploadOptions,
): Promise<UploadResult> {
  const batches = splitIntoBatches(records);
  const result = { records: 0, replaced: 0, unpricedCalls: 0 };
  let [nano, isUse] = [0, false];
  for (const batch of batches) {
    to.onProgress?.({ records: result.records, ofRecords: records.length });
    const answer = await sendBatch(source, batch, to).catch((error: unknown) => {
      throw withProgress(error, result.records, records.length);
    });
    result.records += batch.length;
    result.replaced += answer.replaced;
    nano += Math.round(answer.cost * NANO_PER_USD);
    result.unpricedCalls += answer.unpricedCalls;
    isUse ||= answer.unpricedUsage;
  }
  to.onProgress?.({ records: result.records, ofRecords: records.length });
  // A session whose models were in two requests counts once.
  const sessions = new Set(records.map(({ sessionId }) => sessionId)).size;
  return { ...result, ...(isUse && { unpricedUsage: true }), cost: usdFromNano(nano), sessions };
}

/** Uploads a prepared upload and records locally what the service has. */
export async function uploadPrepared(
  { source, records, uploads }: Pick<PreparedUpload, 'source' | 'records' | 'uploads'>,
  env: EnvVariables,
  to: UploadOptions,
): Promise<UploadResult> {
  const result = await uploadRecords(source, records, to);
  if (uploads.size > 0) writeUploadedCalls({ host: hostEnvironment(env), source }, to, uploads);
  return result;
}

function withProgress(error: unknown, done: number, all: number): unknown {
  if (!(error instanceof TollbookError) || done === 0) return error;
  const rest = `${done} of ${all} records are uploaded. Run the command again to upload the other ${all - done}; nothing is counted twice.`;
  return new TollbookError(error.type, `${error.message} ${rest}`, error.param);
}

function buildSyncRequest(source: LocalSource, sessions: readonly SessionRecord[]): ClientRequest {
  if (source === 'claude_code') return buildRequest('POST /api/mcp/sync/claude-code', { body: { sessions } });
  if (source === 'codex') return buildRequest('POST /api/mcp/sync/codex', { body: { sessions } });
  return buildRequest('POST /api/mcp/sync/sessions', { body: { source, sessions } });
}

type SyncResponse = RouteResponse<'POST /api/mcp/sync/sessions'>;

/** The part of an answer that an upload adds up. */
interface BatchResult extends Pick<SyncResponse, 'replaced' | 'cost'> {
  readonly unpricedCalls: number;
  readonly unpricedUsage: boolean;
}

async function sendBatch(
  source: LocalSource,
  batch: readonly SessionRecord[],
  to: UploadOptions,
): Promise<BatchResult> {
  const { signal, wait = waitFor } = to;
  const request = buildSyncRequest(source, batch);
  for (let tries = 1; ; tries += 1) {
    signal?.throwIfAborted();
    const answer = await postBatch(request, to);
    if (!(answer instanceof Error) && answer.ok) return await readBatchResponse(answer, to);
    const triesMax = answer instanceof Error ? UNANSWERED_TRIES_MAX : TRIES_MAX;
    const waitMs = answer instanceof Error ? backoff(tries) : waitAfter(answer, tries);
    if (waitMs === null || tries >= triesMax) throw await toUploadError(answer, to);
    await wait(waitMs, signal);
  }
}

async function postBatch({ path, headers, ...request }: ClientRequest, to: UploadOptions): Promise<Response | Error> {
  const { apiUrl, apiKey, signal, fetch = globalThis.fetch } = to;
  const time = AbortSignal.timeout(ANSWER_MS_MAX);
  try {
    return await fetch(`${apiUrl}${path}`, {
      ...request,
      headers: { authorization: `Bearer ${apiKey}`, ...headers },
      signal: signal ? AbortSignal.any([signal, time]) : time,
      // A redirect would send the token elsewhere.
      redirect: 'error',
    });
  } catch (error) {
    signal?.throwIfAborted();
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Returns the wait before a retry; null = a retry would not help. */
function waitAfter(answer: Response, tries: number): number | null {
  if (answer.status !== 429 && answer.status < 500) return null;
  const asked = answer.headers.get('retry-after');
  if (asked === null || !/^\d{1,6}$/.test(asked)) return backoff(tries);
  const askedMs = Number(asked) * 1_000;
  return askedMs > RETRY_AFTER_MS_MAX ? null : Math.max(askedMs, BACKOFF_MS);
}

function backoff(tries: number): number {
  return Math.min(BACKOFF_MS * 2 ** (tries - 1), BACKOFF_MS_MAX);
}

async function waitFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await setTimeout(ms, undefined, signal && { signal });
}

async function readBatchResponse(answer: Response, to: UploadOptions): Promise<BatchResult> {
  const read = (await answer.json().catch(() => null)) as Partial<SyncResponse> | null;
  if (typeof read?.replaced !== 'number' || typeof read.cost !== 'number') throw notTollbook(answer, to);
  const { replaced, cost, unpricedCalls = 0, unpricedUsage = false } = read;
  return { replaced, cost, unpricedCalls, unpricedUsage };
}

async function toUploadError(answer: Response | Error, to: UploadOptions): Promise<TollbookError> {
  if (answer instanceof Error) {
    const sentence = `No Tollbook service responds at ${to.apiUrl} (${errorReason(answer)}). Start it with "tollbook serve", or set SVC_API_URL to its URL.`;
    return new TollbookError('upstream_unreachable', sentence);
  }
  const body = (await answer.json().catch(() => null)) as { error?: unknown; type?: unknown; param?: unknown } | null;
  if (typeof body?.error !== 'string') return notTollbook(answer, to);
  const type = Object.keys(ERROR_STATUS).find((name): name is ErrorType => name === body.type) ?? 'internal';
  const param = typeof body.param === 'string' ? body.param : undefined;
  return new TollbookError(type, REFUSED[type] ?? body.error, param);
}

/** Shorter messages for these errors, because the caller knows where its token comes from. */
const REFUSED: Partial<Record<ErrorType, string>> = {
  unknown_secret: 'The access token is unknown, expired or revoked.',
  wrong_secret: 'The given key is a wrapped key, which works only for the proxy.',
};

function notTollbook(answer: Response, { apiUrl }: UploadOptions): TollbookError {
  const sentence = `The server at ${apiUrl} is not a Tollbook service (status ${answer.status}). Check SVC_API_URL.`;
  return new TollbookError('upstream_unreachable', sentence);
}

function errorReason(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : error;
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}
