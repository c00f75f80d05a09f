/**
 * All errors of our own in one table: type → HTTP status. The sentence belongs to the place that knows what went wrong.
 */
export const ERROR_STATUS = {
  invalid: 400,
  no_secret: 401,
  unknown_secret: 401,
  wrong_secret: 403,
  scope: 403,
  not_found: 404,
  method: 405,
  conflict: 409,
  too_large: 413,
  media_type: 415,
  impossible: 422,
  rate: 429,
  internal: 500,
  upstream_unreachable: 502,
  unavailable: 503,
  upstream_timeout: 504,
} as const;
export type ErrorType = keyof typeof ERROR_STATUS;

/** An error whose sentence may be shown to the caller: it says what is wrong and what to do. */
export class TollbookError extends Error {
  readonly type: ErrorType;
  /** Name of the parameter or field it is about. */
  readonly param: string | undefined;

  constructor(type: ErrorType, message: string, param?: string) {
    super(message);
    this.type = type;
    this.param = param;
  }

  get status(): number {
    return ERROR_STATUS[this.type];
  }
}
