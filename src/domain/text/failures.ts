import type { CallOutcome } from '../usage/call.ts';

interface FailedCall {
  readonly outcome: CallOutcome;
  /** HTTP status of the provider's answer; 0 = there was none. */
  readonly status: number;
  /** Word by which the provider names its error; null = none. */
  readonly errorType: string | null;
}

const OVERLOADED = 'The provider was overloaded.';
const RATE_LIMITED = 'The provider’s rate limit was reached.';
const NO_CREDIT = 'The provider account has no credit or quota left.';
const BAD_KEY = 'The provider did not accept the provider key.';
const NOT_ALLOWED = 'The provider key is not allowed to use this model or feature.';
const NOT_FOUND = 'The provider does not know this model or resource.';
const TOO_LONG = 'The request was too long for the model.';
const FILTERED = 'The provider’s content filter refused the request.';
const INVALID = 'The provider rejected the request as invalid.';
const BROKEN = 'The provider had an internal error.';
const TIMED_OUT = 'The provider did not finish in time.';

/** Sentences for the words of Anthropic, OpenAI, Google, Azure and Bedrock. */
const SENTENCES: ReadonlyMap<string, string> = new Map([
  ['overloaded_error', OVERLOADED],
  ['UNAVAILABLE', OVERLOADED],
  ['ServiceUnavailableException', OVERLOADED],
  ['ModelNotReadyException', OVERLOADED],
  ['rate_limit_error', RATE_LIMITED],
  ['rate_limit_exceeded', RATE_LIMITED],
  ['RESOURCE_EXHAUSTED', RATE_LIMITED],
  ['ThrottlingException', RATE_LIMITED],
  ['insufficient_quota', NO_CREDIT],
  ['billing_error', NO_CREDIT],
  ['billing_hard_limit_reached', NO_CREDIT],
  ['authentication_error', BAD_KEY],
  ['invalid_api_key', BAD_KEY],
  ['UNAUTHENTICATED', BAD_KEY],
  ['permission_error', NOT_ALLOWED],
  ['PERMISSION_DENIED', NOT_ALLOWED],
  ['AccessDeniedException', NOT_ALLOWED],
  ['not_found_error', NOT_FOUND],
  ['model_not_found', NOT_FOUND],
  ['NOT_FOUND', NOT_FOUND],
  ['DeploymentNotFound', NOT_FOUND],
  ['context_length_exceeded', TOO_LONG],
  ['string_above_max_length', TOO_LONG],
  ['request_too_large', TOO_LONG],
  ['content_filter', FILTERED],
  ['content_policy_violation', FILTERED],
  ['ResponsibleAIPolicyViolation', FILTERED],
  ['invalid_request_error', INVALID],
  ['INVALID_ARGUMENT', INVALID],
  ['ValidationException', INVALID],
  ['api_error', BROKEN],
  ['server_error', BROKEN],
  ['INTERNAL', BROKEN],
  ['InternalServerException', BROKEN],
  ['timeout_error', TIMED_OUT],
  ['DEADLINE_EXCEEDED', TIMED_OUT],
  ['ModelTimeoutException', TIMED_OUT],
]);

const SENTENCES_OF_STATUSES: ReadonlyMap<number, string> = new Map([
  [400, INVALID],
  [401, BAD_KEY],
  [402, NO_CREDIT],
  [403, NOT_ALLOWED],
  [404, NOT_FOUND],
  [408, TIMED_OUT],
  [413, TOO_LONG],
  [422, INVALID],
  [429, RATE_LIMITED],
  [503, OVERLOADED],
  [504, TIMED_OUT],
  [529, OVERLOADED],
]);

const SENTENCES_OF_OUTCOMES: Readonly<Record<CallOutcome, string | null>> = {
  completed: null,
  failed: 'The provider refused the request.',
  broken: 'The response broke off before its end.',
  client_left: 'The client disconnected before the end of the response.',
  lost: 'Tollbook stopped while the call was running.',
  not_sent: 'The request did not reach the provider. It is not counted.',
};

/**
 * Returns why a call failed, in a sentence of Tollbook; null = it completed. The provider's own sentence is not kept,
 * because it may quote the request.
 */
export function explainFailedCall({ outcome, status, errorType }: FailedCall): string | null {
  if (outcome === 'completed') return null;
  const named = errorType === null ? undefined : SENTENCES.get(errorType);
  if (named !== undefined) return named;
  if (outcome !== 'failed') return SENTENCES_OF_OUTCOMES[outcome];
  return SENTENCES_OF_STATUSES.get(status) ?? (status >= 500 ? BROKEN : SENTENCES_OF_OUTCOMES.failed);
}
