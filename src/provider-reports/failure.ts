import type { ReportAnswer, AnswerHeaders } from './ask.ts';
import { SECOND_MS } from '../domain/time/units.ts';

const FIRST_WAIT_MS = 5 * SECOND_MS;
const WAIT_MS_MAX = 15 * 60 * SECOND_MS;
const REPORT_WAIT_MS_MAX = 5 * 60 * SECOND_MS;
/** A provider that asks for a longer wait is asked again after this all the same. */
const RETRY_AFTER_MS_MAX = 60 * 60 * SECOND_MS;

/** Why nothing came, and whom it concerns: the key, all requests, or this report alone. */
export type RequestFailure =
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'slower'; readonly waitMs: number }
  | { readonly kind: 'away'; readonly reason: string }
  /** `status`: where it is that which makes it a failure. */
  | { readonly kind: 'report'; readonly reason: string; readonly status?: number };

/** What an answer is: the body of a report, parsed, or a failure. */
export function readOutcome(
  answer: ReportAnswer,
  now: number,
): RequestFailure | { readonly kind: 'body'; readonly body: unknown } {
  if (!answer.ok) return { kind: 'away', reason: answer.reason };
  const { status, headers, text } = answer;
  if (status === 401 || status === 403) return { kind: 'refused', reason: `it was answered ${status}` };
  if (status === 429) return { kind: 'slower', waitMs: retryAfterMs(headers, now) };
  if (status !== 200) return { kind: 'report', reason: `the answer was ${status}`, status };
  try {
    return { kind: 'body', body: JSON.parse(text) as unknown };
  } catch {
    return { kind: 'report', reason: 'the answer is no JSON' };
  }
}

/** Doubled with each failure, or as long as the provider says; one bad report does not keep the others waiting. */
export function retryWaitMs(failure: RequestFailure, failures: number): number {
  if (failure.kind === 'slower' && failure.waitMs > 0) return failure.waitMs;
  const max = failure.kind === 'report' ? REPORT_WAIT_MS_MAX : WAIT_MS_MAX;
  return Math.min(max, FIRST_WAIT_MS * 2 ** Math.min(20, failures - 1));
}

/** Seconds or a date; 0 = it does not say. */
function retryAfterMs(headers: AnswerHeaders, now: number): number {
  const text = headers['retry-after'];
  if (typeof text !== 'string' || text === '') return 0;
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - now;
  return Number.isNaN(ms) ? 0 : Math.min(RETRY_AFTER_MS_MAX, Math.max(SECOND_MS, ms));
}
