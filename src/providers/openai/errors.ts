import type { ProviderError, RenderedError } from '../provider.ts';
import { renderJson } from '../render-error.ts';

/** OpenAI's guide "Error codes": `type` and `code` by status. */
const SHAPES: Readonly<Record<number, readonly [type: string, code: string]>> = {
  401: ['invalid_request_error', 'invalid_api_key'],
  402: ['insufficient_quota', 'insufficient_quota'],
  403: ['invalid_request_error', 'permission_denied'],
  404: ['invalid_request_error', 'not_found'],
  413: ['invalid_request_error', 'request_too_large'],
  429: ['rate_limit_error', 'rate_limit_exceeded'],
  502: ['server_error', 'upstream_unreachable'],
  503: ['server_error', 'unavailable'],
  504: ['server_error', 'upstream_timeout'],
};

export function renderOpenaiError(error: ProviderError): RenderedError {
  const [type, code] =
    SHAPES[error.status] ?? (error.status < 500 ? ['invalid_request_error', null] : ['server_error', null]);
  const details = error.facts && { details: error.facts };
  return renderJson(error, { error: { message: error.message, type, param: error.param ?? null, code, ...details } });
}
