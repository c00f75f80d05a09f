import type { IncomingHttpHeaders } from 'node:http';
import { TollbookError } from '../../domain/errors.ts';
import { SECRET_PREFIX } from '../../domain/identity/secret.ts';
import type { GatewayKey } from '../../domain/identity/wrapped-key.ts';
import type { Provider } from '../../providers/provider.ts';
import { isKeptFromClients, isKeptFromProviders } from './withheld-headers.ts';

/** Headers by lower-case name, as Node represents them. */
export type HeaderRecord = Record<string, string>;

/**
 * Headers of every answer below `/api/proxy`. The proxy shares its origin with the dashboard, so no answer of a
 * provider may become a page there: browsers neither guess its type nor run anything in it.
 */
export const NO_PAGE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
} as const;
const FLAT_NO_PAGE_HEADERS = Object.entries(NO_PAGE_HEADERS).flat();

/**
 * Reports a request with which a browser would show, run or embed the answer. Programs and `fetch` send other
 * headers.
 */
export function isForPage(headers: IncomingHttpHeaders): boolean {
  const { 'sec-fetch-dest': use = 'empty', 'sec-fetch-mode': mode } = headers;
  return use !== 'empty' || mode === 'navigate';
}

export const FOR_PAGE =
  'A browser asked for this address as a page or as a part of one. Answers of the proxy are for programs: call it with a client library, or with fetch.';

/**
 * Reports several Host headers, which RFC 9112 §3.2 forbids. Node joins repeated headers with a comma and a space,
 * which no host contains.
 */
export function namesSeveralHosts({ host }: IncomingHttpHeaders): boolean {
  return host !== undefined && host.includes(', ');
}

export const SEVERAL_HOSTS = 'The request has several Host headers; send one.';

/** Throws if a request has one of the headers by which it would be billed at another price than the one held. */
export function refuseTierHeaders(headers: IncomingHttpHeaders, refused: readonly string[]): void {
  const name = refused.find((each) => headers[each] !== undefined);
  if (name === undefined) return;
  throw new TollbookError('invalid', `The header "${name}" changes what the call costs. Leave it out.`, name);
}

/** Encodings the gateway can read. A provider is offered the ones that the client accepts. */
const READABLE_ENCODINGS = ['gzip', 'deflate', 'br', 'zstd'];

export function offeredEncodings(accepted: string | string[] | undefined): string {
  if (accepted === undefined) return 'identity';
  const words = String(accepted).toLowerCase();
  const offered = READABLE_ENCODINGS.filter((name) => words.includes(name) && !words.includes(`${name};q=0`));
  return offered.length > 0 ? offered.join(', ') : 'identity';
}

/** Builds the headers of a request to its provider, including the provider's key or the login of the client. */
export function requestHeaders(
  from: IncomingHttpHeaders,
  provider: Pick<Provider, 'defaultHeaders' | 'authorize'>,
  { credential, providerKey }: Pick<GatewayKey, 'credential' | 'providerKey'>,
): HeaderRecord {
  const headers = upstreamHeaders(from, provider.defaultHeaders);
  // The body was read as JSON, and the provider must read it the same way.
  headers['content-type'] = 'application/json';
  headers['accept-encoding'] = offeredEncodings(from['accept-encoding']);
  // Sent as it came, and nowhere kept.
  if (credential === 'subscription') headers['authorization'] = from.authorization ?? '';
  else provider.authorize(headers, providerKey);
  return headers;
}

/** Returns the client's request headers that may be forwarded. The caller adds the provider's key. */
export function upstreamHeaders(from: IncomingHttpHeaders, defaults: Readonly<HeaderRecord>): HeaderRecord {
  const to: HeaderRecord = { ...defaults };
  const named = connectionNames(from.connection);
  for (const name in from) {
    if (isKeptFromProviders(name) || named?.includes(name)) continue;
    const value = from[name];
    if (value === undefined) continue;
    const text = typeof value === 'string' ? value : value.join(', ');
    // A wrapped key must never reach a provider, in any header.
    if (!text.includes(SECRET_PREFIX) && !name.includes(SECRET_PREFIX)) to[name] = text;
  }
  return to;
}

/** Alternating names and values, which Node writes without building an object first. */
export type FlatHeaders = (string | string[])[];

/** Warning in place of a redirect. A client that followed it would send its wrapped key elsewhere. */
const NOT_FOLLOWED = "the provider's redirect was left out; set the provider's address to where it leads";

/**
 * Returns the answer's headers for the client, without headers that act on an origin. The length is removed if the
 * body changes or is measured again.
 */
export function clientHeaders(from: IncomingHttpHeaders, keepsLength: boolean, keepsEncoding: boolean): FlatHeaders {
  const to: FlatHeaders = [...FLAT_NO_PAGE_HEADERS];
  const named = connectionNames(from.connection);
  for (const name in from) {
    if (name === 'location') to.push('x-svc-warning', NOT_FOLLOWED);
    if (isKeptFromClients(name) || named?.includes(name)) continue;
    if ((name === 'content-length' && !keepsLength) || (name === 'content-encoding' && !keepsEncoding)) continue;
    const value = from[name];
    if (value !== undefined) to.push(name, value);
  }
  return to;
}

/** Returns a media type in lower case, without its parameters; '' = none. */
export function mediaType(contentType: string | null): string {
  if (contentType === null) return '';
  const semicolon = contentType.indexOf(';');
  const type = semicolon < 0 ? contentType : contentType.slice(0, semicolon);
  return type === 'application/json' || type === 'text/event-stream' ? type : type.trim().toLowerCase();
}

function connectionNames(connection: string | undefined): string[] | null {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return null;
  return connection
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
}
