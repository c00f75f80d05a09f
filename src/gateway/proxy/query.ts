import type { Provider } from '../../providers/provider.ts';

const SHOWN_PARAMETERS_MAX = 8;
const SHOWN_CHARS_MAX = 64;
/** Some readers split parameters at these too, and would see other parameters than this one does. */
const SPLITS = /[;\s]/;

export interface KnownParameters {
  /** Query for the provider, with its `?`; '' = none. */
  readonly query: string;
  /** Sentence about parameters that were left out; null = none was. */
  readonly warning: string | null;
}

/** Keeps the parameters that the provider is known to take, byte for byte. @param query with its `?`, well encoded; '' = none */
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

/** A name in another spelling or encoding is another name: it stays here. */
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

/** Names come from the wire, and this goes into a header. */
function shownName(part: string): string {
  return (part.split('=')[0] ?? '').slice(0, SHOWN_CHARS_MAX).replaceAll(/[^\w.$%-]/g, '?');
}
