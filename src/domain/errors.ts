/**
 * Table of all errors of Tollbook: type → HTTP status. The message is written where the error is thrown.
 */
export const ERROR_STATUS = {
  invalid: 400,
  missing_secret: 401,
  unknown_secret: 401,
  invalid_credentials: 401,
  exceeds_limit: 402,
  spent: 402,
  unbounded: 402,
  unpriced_model: 402,
  wrong_secret: 403,
  wrong_password: 403,
  cross_site: 403,
  missing_scope: 403,
  policy_denied: 403,
  not_found: 404,
  method_not_allowed: 405,
  too_slow: 408,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  unprocessable: 422,
  provider_key_refused: 422,
  rate_limited: 429,
  in_flight: 429,
  counter_unavailable: 429,
  internal: 500,
  upstream_unreachable: 502,
  unavailable: 503,
  upstream_timeout: 504,
} as const;
export type ErrorType = keyof typeof ERROR_STATUS;

export interface ErrorExtras {
  /** Seconds after which the same request may pass. Absent = repeating it doesn't help. */
  readonly retryAfter?: number;
  /** Facts for programs, in the order of the response body. */
  readonly facts?: ErrorFacts;
  /** Headers of the answer, names and values in turn. */
  readonly headers?: readonly string[];
}
export type ErrorFacts = Readonly<Record<string, string | number | null>>;

/** An error whose sentence may be shown to the caller: it says what is wrong and what to do. */
export class TollbookError extends Error {
  readonly type: ErrorType;
  /** Name of the parameter or field it is about. */
  readonly param: string | undefined;
  readonly retryAfter: number | undefined;
  readonly facts: ErrorFacts | undefined;
  readonly headers: readonly string[];

  constructor(type: ErrorType, message: string, param?: string, { retryAfter, facts, headers = [] }: ErrorExtras = {}) {
    super(message);
    this.type = type;
    this.param = param;
    this.retryAfter = retryAfter;
    this.facts = facts;
    this.headers = headers;
  }

  get status(): number {
    return ERROR_STATUS[this.type];
  }
}
