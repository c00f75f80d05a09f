import type { ErrorShape } from '../../../../src/contract/errors.ts';
import { isolatedQuotes } from '../format/isolated.ts';

/** Status of a change of a record that someone else changed after the page read it. */
export const CHANGED = 412;
const FORBIDDEN = 403;
const CHANGED_TEXT =
  'Someone else changed or deleted this after you opened it, so nothing was saved. Reload the page to see it as it is now.';

/** An error response of the service. Its message is a sentence for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status; 0 = no response. */
  readonly status: number;
  readonly type: string;
  /** The invalid field. */
  readonly param: string | null;
  readonly requestId: string | null;

  constructor(status: number, shape: Partial<ErrorShape>) {
    super(status === CHANGED ? CHANGED_TEXT : (shape.error ?? statusText(status)));
    this.status = status;
    this.type = shape.type ?? 'unknown';
    this.param = shape.param ?? null;
    this.requestId = shape.requestId ?? null;
  }

  /** Returns the same error for another field, for a form that calls the field so. */
  at(param: string): ApiError {
    return new ApiError(this.status, {
      error: this.message,
      type: this.type,
      param,
      ...(this.requestId !== null && { requestId: this.requestId }),
    });
  }
}

/** True if the requested record does not exist. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.type === 'not_found';
}

/** True if the user has no right to the request, so that repeating it won't help. */
export function isForbidden(error: unknown): boolean {
  return error instanceof ApiError && error.status === FORBIDDEN;
}

/** Returns a message for responses without one, such as those of a reverse proxy. */
function statusText(status: number): string {
  if (status === 0)
    return 'Tollbook is not responding. It may be starting, or the network is down. Try again in a moment.';
  if (status >= 500)
    return `Tollbook could not complete the request (status ${status}). Recorded data is safe. Try again shortly.`;
  return `Tollbook rejected the request (status ${status}). Reload the page and try again.`;
}

/** Returns a sentence for any error. */
export function errorText(error: unknown): string {
  return error instanceof Error
    ? isolatedQuotes(error.message)
    : 'Something went wrong. Reload the page and try again.';
}
