import { ERROR_STATUS, TollbookError, type ErrorType } from '../../domain/errors.ts';
import { withoutSecrets } from '../../domain/identity/secret.ts';
import { hideProviderKeys } from '../../lib/crypto/hide-secrets.ts';
import type { Log } from '../../lib/log.ts';
import type { ErrorShape } from '../../contract/errors.ts';

export interface ErrorResponse {
  readonly status: (typeof ERROR_STATUS)[ErrorType];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorShape;
}

/**
 * Answers an error. An unexpected one is `internal` to the caller and logged in full for the operator. Every status
 * from 500 leaves a line in the log under its id. Errors that only the caller can fix are not logged, so that no one
 * can fill the log.
 */
export function renderErrorResponse(error: unknown, requestId: string, log: Log): ErrorResponse {
  const known = error instanceof TollbookError ? error : null;
  if (!known) log.error({ err: error, requestId }, 'API request failed');
  const type = known?.type ?? 'internal';
  if (known && known.status >= 500) log.warn({ requestId, type }, known.message);
  const sentence = known?.message ?? `Something went wrong inside Tollbook. Its log has details under ${requestId}.`;
  return {
    status: ERROR_STATUS[type],
    headers: {
      ...(ERROR_STATUS[type] === 401 && { 'www-authenticate': 'Bearer' }),
      ...(known?.retryAfter !== undefined && { 'retry-after': String(known.retryAfter) }),
    },
    body: {
      error: hideProviderKeys(withoutSecrets(sentence)),
      type,
      ...(known?.param === undefined ? {} : { param: known.param }),
      requestId,
    },
  };
}
