import type { FreeRoute, NoRoute, ProviderError, RenderedError } from './provider.ts';

/** No model's name has these in a path; with them, two readers could see two different paths. */
const PLAIN_PATH = /^(?:\/[A-Za-z0-9._~:@+-]+)*\/?$/;

/** `.` and `..` as steps of a path. */
const DOT_STEP = /\/\.{1,2}(?:\/|$)/;

/** A sentence for a path that isn't plain: `..`, encoded or doubled slashes, control characters; null = it is plain. */
export function refusePath(rest: string): NoRoute | null {
  if (PLAIN_PATH.test(rest) && !DOT_STEP.test(rest)) return null;
  return noRoute(
    400,
    'The path holds something other than plain names: leave out "..", "//", "%" and special characters.',
  );
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

/** The path without a slash at its end. */
export function withoutSlash(rest: string): string {
  return rest.endsWith('/') ? rest.slice(0, -1) : rest;
}

/** Repeating can't help against these, and the official clients repeat them unless they are told. */
const REPEATED_STATUS = new Set([402, 409, 429]);

/** An error body with the headers that tell a client when to come again, or not to. */
export function renderJson(error: ProviderError, body: unknown): RenderedError {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (error.retryAfter !== undefined) headers['retry-after'] = String(Math.max(0, Math.ceil(error.retryAfter)));
  else if (REPEATED_STATUS.has(error.status)) headers['x-should-retry'] = 'false';
  return { status: error.status, headers, body: JSON.stringify(body) };
}
