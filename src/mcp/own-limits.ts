import { OWN_LIMITS_PATH, type OwnLimit, type OwnLimits, ownLimits } from '../contract/own-limits.ts';
import { TollbookError } from '../domain/errors.ts';
import { SECRET_PREFIX } from '../domain/identity/secret.ts';

/** The wrapped key that a client of this machine uses, and the service that it calls. */
export interface ClientKey {
  /** Without a trailing slash. */
  readonly serviceUrl: string;
  readonly key: string;
}

type EnvVariables = Readonly<Record<string, string | undefined>>;

/** Environment variables of clients: the base URL, and the variables that may hold the key. */
const CLIENT_VARIABLES = [
  ['ANTHROPIC_BASE_URL', ['ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_API_KEY', 'ANTHROPIC_CUSTOM_HEADERS']],
  ['OPENAI_BASE_URL', ['OPENAI_API_KEY']],
  ['GOOGLE_GEMINI_BASE_URL', ['GEMINI_API_KEY']],
] as const;
const PROXY_PATH = '/api/proxy/';
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

/** Finds the wrapped key of a client in the environment; null = none calls a Tollbook with one. */
export function findClientKey(env: EnvVariables): ClientKey | null {
  for (const [base, names] of CLIENT_VARIABLES) {
    const serviceUrl = readServiceUrl(env[base]);
    if (serviceUrl === null) continue;
    for (const name of names) {
      const key = findWrappedKey(env[name]);
      if (key !== null) return { serviceUrl, key };
    }
  }
  return null;
}

function readServiceUrl(base: string | undefined): string | null {
  if (base === undefined || !URL.canParse(base)) return null;
  const { protocol, origin, pathname } = new URL(base);
  const at = pathname.indexOf(PROXY_PATH);
  return at < 0 || !/^https?:$/.test(protocol) ? null : origin + pathname.slice(0, at);
}

/** Reads a key, alone or in lines of headers (`x-svc-key: svc_sk_…`). */
function findWrappedKey(text = ''): string | null {
  const key = /^x-svc-key:\s*(\S+)\s*$/im.exec(text)?.[1] ?? text.trim();
  return key.startsWith(SECRET_PREFIX) && !/\s/.test(key) ? key : null;
}

/** Asks the gateway for the limits of a wrapped key. Throws a `TollbookError` if there is no answer. */
export async function fetchOwnLimits(
  { serviceUrl, key }: ClientKey,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): Promise<OwnLimits> {
  let text: string;
  try {
    const answer = await fetch(serviceUrl + OWN_LIMITS_PATH, {
      headers: { ...headers, authorization: `Bearer ${key}` },
      signal,
      // A redirect would carry the key elsewhere.
      redirect: 'error',
    });
    text = (await answer.text()).slice(0, ANSWER_BYTES_MAX);
  } catch (error) {
    throw new TollbookError(
      'upstream_unreachable',
      `No Tollbook service answers at ${serviceUrl} (${describeFailure(error)}).`,
    );
  }
  return readOwnLimits(text, serviceUrl);
}

function readOwnLimits(text: string, serviceUrl: string): OwnLimits {
  let json: unknown = null;
  try {
    json = JSON.parse(text);
  } catch {
    // Not an answer of a service; the sentence below says so.
  }
  const read = ownLimits.safeParse(json);
  if (read.success) return read.data;
  const { error } = (json ?? {}) as { readonly error?: unknown };
  throw typeof error === 'string'
    ? new TollbookError('wrong_secret', error)
    : new TollbookError('upstream_unreachable', `The service at ${serviceUrl} is not this version of Tollbook.`);
}

function describeFailure(error: unknown): string {
  const { cause = error } = error as Error;
  return (cause as NodeJS.ErrnoException).code?.toString() ?? (cause as Error).message;
}

/** Returns the share of a limit that is left; Infinity = not known, or free again with each call that ends. */
export function shareLeft({ unit, amount, remaining }: Pick<OwnLimit, 'unit' | 'amount' | 'remaining'>): number {
  return remaining === null || unit === 'concurrency' ? Infinity : remaining / Math.max(amount, Number.MIN_VALUE);
}
