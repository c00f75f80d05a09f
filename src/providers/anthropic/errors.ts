import type { ProviderError, RenderedError } from '../provider.ts';
import { renderJson } from '../render-error.ts';

/** Anthropic API reference, "Errors". A status that is not here takes the type of its class. */
const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
};

export function renderAnthropicError(error: ProviderError): RenderedError {
  const type = TYPES[error.status] ?? (error.status < 500 ? 'invalid_request_error' : 'api_error');
  const details = error.facts && { details: error.facts };
  return renderJson(error, {
    type: 'error',
    error: { type, message: error.message, ...details },
    request_id: error.callId,
  });
}
