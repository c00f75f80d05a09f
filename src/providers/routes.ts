import { SECRET_PREFIX } from '../domain/identity/secret.ts';
import type { FreeRoute, NoRoute, ProviderError, RenderedError } from './provider.ts';

/** Plain paths. Other characters occur in no model name, and two parsers could read them differently. */
const PLAIN_PATH = /^(?:\/[A-Za-z0-9._~:@+-]+)*\/?$/;

/** `.` and `..` as path segments. */
const DOT_STEP = /\/\.{1,2}(?:\/|$)/;

/** Refuses a path with `..`, encoded or double slashes, control characters or a secret; null = the path is plain. */
export function refusePath(rest: string): NoRoute | null {
  if (rest.includes(SECRET_PREFIX))
    // It would go to the provider, and the ledger keeps names of models.
    return noRoute(400, 'The path contains a Tollbook secret. Send the wrapped key in a header.');
  if (PLAIN_PATH.test(rest) && !DOT_STEP.test(rest)) return null;
  return noRoute(400, 'The path may contain only plain names. Remove "..", "//", "%" and special characters.');
}

export function noRoute(status: NoRoute['status'], reason: string): NoRoute {
  return { kind: 'none', status, reason };
}

export function wrongMethod(method: string, path: string, allowed: string): NoRoute {
  return noRoute(405, `${method} is not served at ${path}; use ${allowed}.`);
}

export function freeRoute(upstreamPath: string): FreeRoute {
  return { kind: 'free', upstreamPath };
}

/** Returns the path without a trailing slash. */
export function withoutSlash(rest: string): string {
  return rest.endsWith('/') ? rest.slice(0, -1) : rest;
}

/** Statuses that official clients retry by default, although a retry cannot help. */
const REPEATED_STATUS = new Set([402, 409, 429]);

/** Renders an error body with headers that say when to retry, or not to. */
export function renderJson(error: ProviderError, body: unknown): RenderedError {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (error.retryAfter !== undefined) headers['retry-after'] = String(Math.max(0, Math.ceil(error.retryAfter)));
  else if (REPEATED_STATUS.has(error.status)) headers['x-should-retry'] = 'false';
  return { status: error.status, headers, body: JSON.stringify(body) };
}
