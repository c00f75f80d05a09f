import { TollbookError } from '../../domain/errors.ts';
import { SECRET_PREFIX } from '../../domain/identity/secret.ts';
import type { Provider } from '../../providers/provider.ts';

/** The parts of `/api/proxy/{provider}{rest}?{query}`. */
export interface ProxyAddress {
  readonly provider: string;
  /** Path after the provider: '' or begins with `/`; not decoded. */
  readonly rest: string;
  /** Query for the provider, with its `?`, without the caller's key; '' = none. */
  readonly query: string;
  /** Value of `?key=`, where Google's clients may put their key. */
  readonly queryKey: string | null;
}

export const PROXY_PREFIX = '/api/proxy/';
const URL_LENGTH_MAX = 4_096;
const SLASH = 0x2f;
const QUESTION_MARK = 0x3f;

/** Reads the provider's id from an address, even if the rest is invalid. */
export function readProviderId(url: string): string {
  let end = PROXY_PREFIX.length;
  while (end < url.length && url.charCodeAt(end) !== SLASH && url.charCodeAt(end) !== QUESTION_MARK) end += 1;
  return url.slice(PROXY_PREFIX.length, end);
}

/** Reads the address of a proxied request. Throws `invalid` if it is ambiguous. */
export function readProxyAddress(url: string): ProxyAddress {
  if (url.length > URL_LENGTH_MAX)
    throw new TollbookError('invalid', `The address is longer than ${URL_LENGTH_MAX} characters.`);
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  if (path.includes(SECRET_PREFIX))
    throw new TollbookError(
      'invalid',
      'The path holds a secret of this service; send it in a header and keep it out of the path.',
    );
  const slash = path.indexOf('/', PROXY_PREFIX.length);
  const provider = path.slice(PROXY_PREFIX.length, slash < 0 ? undefined : slash);
  const rest = slash < 0 ? '' : path.slice(slash);
  if (mark < 0) return { provider, rest: rest === '/' ? '' : rest, query: '', queryKey: null };
  return { provider, rest: rest === '/' ? '' : rest, ...readProxyQuery(url.slice(mark + 1)) };
}

/** Matches queries that may hold a key; a percent sign may hide any letter. */
const MAY_HOLD_KEY = /key|svc_sk_|%/i;

/** Keeps all parameters byte for byte, except the key. */
function readProxyQuery(query: string): Pick<ProxyAddress, 'query' | 'queryKey'> {
  if (!MAY_HOLD_KEY.test(query)) return { query: query && `?${query}`, queryKey: null };
  let queryKey: string | null = null;
  const kept: string[] = [];
  for (const part of query.split('&')) {
    const text = decodeQueryPart(part);
    if (/^key(=|$)/i.test(text)) {
      const value = text.slice('key='.length);
      if (queryKey !== null && queryKey !== value)
        throw new TollbookError('invalid', 'Two different keys were sent in the query; send one.');
      queryKey = value;
    }
    // A wrapped key in any other place would travel on to the provider.
    else if (!text.includes(SECRET_PREFIX)) kept.push(part);
  }
  return { query: kept.length > 0 ? `?${kept.join('&')}` : '', queryKey };
}

function decodeQueryPart(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new TollbookError('invalid', 'The query of the address is not well percent-encoded.');
  }
}

const SHOWN_PARAMETERS_MAX = 8;
const SHOWN_CHARS_MAX = 64;
/** Characters at which other readers may also split parameters. */
const SPLITS = /[;\s]/;

export interface KnownParameters {
  /** Query for the provider, with its `?`; '' = none. */
  readonly query: string;
  /** Warning about removed parameters; null = none was removed. */
  readonly warning: string | null;
}

/**
 * Keeps the parameters that the provider is known to take, byte for byte.
 * @param query with its `?`, well encoded; '' = none
 */
export function knownParameters(query: string, provider: Pick<Provider, 'name' | 'queryParameters'>): KnownParameters {
  const parts = query
    .slice(1)
    .split('&')
    .filter((part) => part !== '');
  const kept = parts.filter((part) => isKnown(part, provider.queryParameters));
  if (kept.length === parts.length) return { query, warning: null };
  const left = parts.filter((part) => !isKnown(part, provider.queryParameters)).slice(0, SHOWN_PARAMETERS_MAX);
  return {
    query: kept.length > 0 ? `?${kept.join('&')}` : '',
    warning: `left out of the query, as they are not known parameters of ${provider.name}: ${left.map(shownName).join(', ')}`,
  };
}

/** Reports a known parameter. Another spelling or encoding is not known. */
function isKnown(part: string, known: readonly string[]): boolean {
  if (SPLITS.test(decoded(part))) return false;
  const equals = part.indexOf('=');
  return known.includes(part) || known.includes(equals < 0 ? part : part.slice(0, equals));
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // What is not well encoded may be read in several ways.
    return ';';
  }
}

/** Shortens and cleans a name from a request for use in a header. */
function shownName(part: string): string {
  return (part.split('=')[0] ?? '').slice(0, SHOWN_CHARS_MAX).replaceAll(/[^\w.$%-]/g, '?');
}
