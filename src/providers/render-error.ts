import type { ProviderError, RenderedError } from './provider.ts';

/** Repeating can't help against these, and the official clients repeat them unless they are told. */
const REPEATED_STATUS = new Set([402, 409, 429]);

/** An error body with the headers that tell a client when to come again, or not to. */
export function renderJson(error: ProviderError, body: unknown): RenderedError {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (error.retryAfter !== undefined) headers['retry-after'] = String(Math.max(0, Math.ceil(error.retryAfter)));
  else if (REPEATED_STATUS.has(error.status)) headers['x-should-retry'] = 'false';
  return { status: error.status, headers, body: JSON.stringify(body) };
}
