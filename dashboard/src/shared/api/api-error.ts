import type { ErrorShape } from '../../../../src/contract/usage.ts';
import { isolatedQuotes } from '../format/isolated.ts';

/** What the service answered instead of what was asked for; its message is a sentence for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status; 0 = the service did not answer at all. */
  readonly status: number;
  readonly type: string;
  /** The field that is wrong. */
  readonly param: string | null;
  readonly requestId: string | null;

  constructor(status: number, shape: Partial<ErrorShape>) {
    super(shape.error ?? statusText(status));
    this.status = status;
    this.type = shape.type ?? 'unknown';
    this.param = shape.param ?? null;
    this.requestId = shape.requestId ?? null;
  }
}

/** For answers that bring no sentence of their own, as those of a proxy between here and the service. */
function statusText(status: number): string {
  if (status === 0) return 'Tollbook does not answer. It may be starting, or the network is down.';
  if (status >= 500)
    return `Tollbook is in trouble (status ${status}). What is in the book is safe; try again shortly.`;
  return `Tollbook did not take this (status ${status}).`;
}

/** A sentence for whatever went wrong. */
export function errorText(error: unknown): string {
  return error instanceof Error
    ? isolatedQuotes(error.message)
    : 'Something went wrong here. Reload the page to go on.';
}
