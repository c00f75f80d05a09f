import type { ErrorFacts } from '../../domain/errors.ts';
import type { ProviderError, RenderedError } from '../provider.ts';
import { renderJson } from '../render-error.ts';

/** Google API reference, "Errors"; the names are those of google.rpc.Code. */
const STATUS: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  402: 'RESOURCE_EXHAUSTED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

export function renderGoogleError(error: ProviderError): RenderedError {
  const status = STATUS[error.status] ?? (error.status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL');
  const details: unknown[] = [];
  if (error.facts) details.push(errorInfo(error.type, error.facts));
  if (error.retryAfter !== undefined) details.push(retryInfo(error.retryAfter));
  return renderJson(error, {
    error: { code: error.status, message: error.message, status, ...(details.length > 0 && { details }) },
  });
}

/** Its values can only be texts. */
function errorInfo(type: string, facts: ErrorFacts): unknown {
  const told = Object.entries(facts).filter(([, value]) => value !== null);
  return {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: type.toUpperCase(),
    domain: 'tollbook',
    metadata: Object.fromEntries(told.map(([name, value]) => [name, String(value)])),
  };
}

function retryInfo(seconds: number): Readonly<Record<string, string>> {
  return { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${Math.max(0, Math.ceil(seconds))}s` };
}
