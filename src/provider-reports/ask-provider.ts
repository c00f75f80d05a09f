import type { ReportRequest } from './source.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../domain/time/units.ts';

/** A page with a week of a large organization has a few megabytes. */
const ASK_LIMITS = { bodyBytesMax: 64 * 1_024 * 1_024, msMax: 60_000 };

/** Response of a provider, or a phrase that says why there is none. */
export type ReportResponse =
  | { readonly ok: true; readonly status: number; readonly headers: AnswerHeaders; readonly text: string }
  | { readonly ok: false; readonly reason: string };
type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Requests a report from a provider. Never throws. */
export type AskProvider = (question: ReportQuestion) => Promise<ReportResponse>;

interface ReportQuestion {
  /** The provider's address without a trailing slash. */
  readonly url: string;
  readonly request: ReportRequest;
  /** Contain the key, which is nowhere else in the request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Requests reports over the network, bounded in time and size. It follows no redirect, so that the key goes nowhere else. */
export function createAskProvider(userAgent: string, { bodyBytesMax, msMax } = ASK_LIMITS): AskProvider {
  return async ({ url, request: { path, query, headers: own }, headers, signal }) => {
    const parameters = new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])).toString();
    const timeout = AbortSignal.timeout(msMax);
    try {
      // Loaded only when reports are read: it takes 11 MB.
      const { request } = await import('undici');
      const answer = await request(`${url}${path}${parameters === '' ? '' : `?${parameters}`}`, {
        headers: { accept: 'application/json', 'user-agent': userAgent, ...headers, ...own },
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      const pieces: Uint8Array[] = [];
      let bytes = 0;
      for await (const piece of answer.body as AsyncIterable<Uint8Array>) {
        bytes += piece.length;
        if (bytes > bodyBytesMax) return { ok: false, reason: `the response is larger than ${bodyBytesMax} bytes` };
        pieces.push(piece);
      }
      return { ok: true, status: answer.statusCode, headers: answer.headers, text: Buffer.concat(pieces).toString() };
    } catch (error) {
      return { ok: false, reason: timeout.aborted ? 'it did not answer in time' : errorCode(error) };
    }
  };
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no connection';
}

const FIRST_WAIT_MS = 5 * SECOND_MS;
const WAIT_MS_MAX = 15 * MINUTE_MS;
const REPORT_WAIT_MS_MAX = 5 * MINUTE_MS;
/** Longest wait that a provider can ask for. */
const RETRY_AFTER_MS_MAX = HOUR_MS;

/** Reason why a request failed. It concerns the key, all requests, or this report only. */
export type RequestFailure =
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'rate_limited'; readonly waitMs: number }
  | { readonly kind: 'unreachable'; readonly reason: string }
  /** `status` is set if it is the reason. */
  | { readonly kind: 'unusable'; readonly reason: string; readonly status?: number };

/** Returns the parsed body of a report, or why there is none. */
export function readOutcome(
  answer: ReportResponse,
  now: number,
): RequestFailure | { readonly kind: 'body'; readonly body: unknown } {
  if (!answer.ok) return { kind: 'unreachable', reason: answer.reason };
  const { status, headers, text } = answer;
  if (status === 401 || status === 403) return { kind: 'refused', reason: `status ${status}` };
  if (status === 429) return { kind: 'rate_limited', waitMs: retryAfterMs(headers, now) };
  if (status !== 200) return { kind: 'unusable', reason: `the response had status ${status}`, status };
  try {
    return { kind: 'body', body: JSON.parse(text) as unknown };
  } catch {
    return { kind: 'unusable', reason: 'the response is not JSON' };
  }
}

/** Returns the wait before the next request: doubled with each failure, or as long as the provider says. */
export function retryWaitMs(failure: RequestFailure, failures: number): number {
  if (failure.kind === 'rate_limited' && failure.waitMs > 0) return failure.waitMs;
  const max = failure.kind === 'unusable' ? REPORT_WAIT_MS_MAX : WAIT_MS_MAX;
  return Math.min(max, FIRST_WAIT_MS * 2 ** Math.min(20, failures - 1));
}

/** Reads `Retry-After` in seconds or as a date; 0 = absent. */
function retryAfterMs(headers: AnswerHeaders, now: number): number {
  const text = headers['retry-after'];
  if (typeof text !== 'string' || text === '') return 0;
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - now;
  return Number.isNaN(ms) ? 0 : Math.min(RETRY_AFTER_MS_MAX, Math.max(SECOND_MS, ms));
}
