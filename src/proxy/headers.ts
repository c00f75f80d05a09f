import type { IncomingHttpHeaders } from 'node:http';
import { SECRET_PREFIX } from '../core/secret.ts';
import type { Provider } from '../providers/provider.ts';

/** Headers in Node's own shape: lower-case names. */
export type Headers = Record<string, string>;

/** The connection's own headers end here (RFC 9110 §7.6.1), as do those the gate sets itself. */
function staysHere(name: string): boolean {
  switch (name) {
    case 'connection':
    case 'keep-alive':
    case 'proxy-authenticate':
    case 'proxy-authorization':
    case 'proxy-connection':
    case 'te':
    case 'trailer':
    case 'transfer-encoding':
    case 'upgrade':
    case 'http2-settings':
      return true;
    default:
      return false;
  }
}

/** Request headers that are about this hop, this host or this client's secrets, and none of the provider's business. */
function staysWithGate(name: string): boolean {
  switch (name) {
    case 'host':
    case 'content-length':
    case 'content-encoding':
    case 'expect':
    case 'authorization':
    case 'x-api-key':
    case 'x-goog-api-key':
    case 'accept-encoding':
    // A browser's session with this host, and who the client is, are not for a provider to see.
    case 'cookie':
    case 'forwarded':
    case 'via':
      return true;
    default:
      return name.startsWith('x-svc-') || name.startsWith('x-forwarded-');
  }
}

/** RFC 9112 §3.2 has such a request refused. Node joins what comes twice with a comma and a space, which no host has. */
export function namesSeveralHosts({ host }: IncomingHttpHeaders): boolean {
  return host !== undefined && host.includes(', ');
}

export const SEVERAL_HOSTS = 'The request has several Host headers; send one.';

/** Encodings the gate can look into; a provider is offered those of them that the client accepts. */
const READABLE_ENCODINGS = ['gzip', 'deflate', 'br', 'zstd'];

export function offeredEncodings(accepted: string | string[] | undefined): string {
  if (accepted === undefined) return 'identity';
  const words = String(accepted).toLowerCase();
  const offered = READABLE_ENCODINGS.filter((name) => words.includes(name) && !words.includes(`${name};q=0`));
  return offered.length > 0 ? offered.join(', ') : 'identity';
}

/** What a request carries to its provider, the provider's own key included. */
export function requestHeaders(
  from: IncomingHttpHeaders,
  provider: Pick<Provider, 'defaultHeaders' | 'authorize'>,
  providerKey: string,
): Headers {
  const headers = upstreamHeaders(from, provider.defaultHeaders);
  headers['accept-encoding'] = offeredEncodings(from['accept-encoding']);
  provider.authorize(headers, providerKey);
  return headers;
}

/** The client's request headers without what must not travel on. The caller adds the provider's key. */
export function upstreamHeaders(from: IncomingHttpHeaders, defaults: Readonly<Headers>): Headers {
  const to: Headers = { ...defaults };
  const named = connectionNames(from.connection);
  for (const name in from) {
    if (staysHere(name) || staysWithGate(name) || named?.includes(name)) continue;
    const value = from[name];
    if (value === undefined) continue;
    const text = typeof value === 'string' ? value : value.join(', ');
    // A wrapped key must never leave towards a provider, whatever header a client put it in.
    if (!text.includes(SECRET_PREFIX) && !name.includes(SECRET_PREFIX)) to[name] = text;
  }
  return to;
}

/** Names and values in turn, as Node writes them without building an object first. */
export type FlatHeaders = (string | string[])[];

/**
 * The answer's headers for the client. Names that would bind the client to the provider's host are left out. The
 * length is left out too where the body changes or is measured anew.
 */
export function clientHeaders(from: IncomingHttpHeaders, keepsLength: boolean, keepsEncoding: boolean): FlatHeaders {
  const to: FlatHeaders = [];
  const named = connectionNames(from.connection);
  for (const name in from) {
    if (staysHere(name) || named?.includes(name)) continue;
    // `strict-transport-security`, `alt-svc` and `set-cookie` speak for the provider's origin, not for this one.
    if (name === 'strict-transport-security' || name === 'alt-svc' || name === 'set-cookie') continue;
    if (name.startsWith('x-svc-')) continue;
    if ((name === 'content-length' && !keepsLength) || (name === 'content-encoding' && !keepsEncoding)) continue;
    const value = from[name];
    if (value !== undefined) to.push(name, value);
  }
  return to;
}

/** A media type in lower case, without its parameters; '' = none. */
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
