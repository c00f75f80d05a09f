import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { GatewayKey } from '../../domain/identity/wrapped-key.ts';
import { SECRET_PREFIX } from '../../domain/identity/secret.ts';
import { TollbookError } from '../../domain/errors.ts';
import type { Provider } from '../../providers/provider.ts';

/** Wrapped keys in memory, by the hash of their text. The ledger thread keeps them current. */
export class KeyRing {
  readonly #keys = new Map<string, GatewayKey>();
  readonly #tokens = new Set<string>();
  /** The key that each open connection sent last. Clients repeat their key, and a look-up is cheaper than a hash. */
  readonly #lastOn = new WeakMap<object, { readonly secret: string; readonly hash: string }>();

  /** Loads the keys of the records. Keys that `put` has set since are newer and stay. */
  load(keys: readonly GatewayKey[], tokenHashes: readonly string[]): void {
    for (const key of keys) if (!this.#keys.has(key.hash)) this.put(key);
    for (const token of tokenHashes) this.#tokens.add(token);
  }

  /** Replaces all keys: the others are gone. */
  replace(keys: readonly GatewayKey[], tokenHashes: readonly string[]): void {
    this.#keys.clear();
    this.#tokens.clear();
    this.load(keys, tokenHashes);
  }

  put(key: GatewayKey): void {
    this.#keys.set(key.hash, key);
  }

  putToken(tokenHash: string, live: boolean): void {
    if (live) this.#tokens.add(tokenHash);
    else this.#tokens.delete(tokenHash);
  }

  get size(): number {
    return this.#keys.size;
  }

  /**
   * Returns the active key of a wrapped key's text. `connection` is where it was sent. Throws a `TollbookError` that
   * says what is wrong: none sent, unknown, revoked, expired, an access token.
   */
  find(secret: string | null, now: number, connection: object | null = null): GatewayKey {
    if (secret === null)
      throw new TollbookError(
        'missing_secret',
        'No wrapped key was sent. Send it as "Authorization: Bearer svc_sk_…", or in the header your client library uses for its API key.',
      );
    const secretHash = connection ? this.#hashOnConnection(connection, secret) : hashKeyText(secret);
    const key = this.#keys.get(secretHash);
    if (!key) throw this.#unknown(secret, secretHash);
    return this.current(key, now);
  }

  /** Returns the current state of a key. Throws if it was revoked or has expired. */
  current({ hash: secretHash, name }: GatewayKey, now: number): GatewayKey {
    const key = this.#keys.get(secretHash);
    if (!key) throw new TollbookError('unknown_secret', `The wrapped key "${name}" no longer exists.`);
    if (key.revokedAt !== null && key.revokedAt <= now)
      throw new TollbookError('unknown_secret', `The wrapped key "${key.name}" was revoked. Ask for a new one.`);
    if (key.expiresAt !== null && key.expiresAt <= now)
      throw new TollbookError('unknown_secret', `The wrapped key "${key.name}" has expired. Ask for a new one.`);
    if (key.providerKey === '' && key.credential === 'provider_key')
      throw new TollbookError(
        'unavailable',
        `The provider key behind the wrapped key "${key.name}" can't be opened here. Set it again: tollbook keys replace.`,
      );
    return key;
  }

  #hashOnConnection(connection: object, secret: string): string {
    const last = this.#lastOn.get(connection);
    if (last?.secret === secret) return last.hash;
    const secretHash = hashKeyText(secret);
    this.#lastOn.set(connection, { secret, hash: secretHash });
    return secretHash;
  }

  #unknown(secret: string, secretHash: string): TollbookError {
    if (this.#tokens.has(secretHash))
      return new TollbookError(
        'wrong_secret',
        'This is an access token; the proxy takes a wrapped key. Make one with "tollbook keys create".',
      );
    if (!secret.startsWith('svc_sk_'))
      return new TollbookError(
        'unknown_secret',
        'This is not a wrapped key (they begin with svc_sk_). Don\'t send the provider\'s own key here: wrap it with "tollbook keys create".',
      );
    return new TollbookError(
      'unknown_secret',
      'This wrapped key is not known here. Check for a missing character, or make a new one.',
    );
  }
}

function hashKeyText(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/**
 * Returns the secret of a request, from any place where official client libraries put it. A wrapped key wins over
 * other secrets. Two different wrapped keys are refused, because it is unclear which one pays.
 */
export function readRequestSecret(headers: IncomingHttpHeaders, queryKey: string | null): string | null {
  let found: string | null = null;
  // Those of `KEY_HEADERS`, written out: reading them by name would take twice the time.
  for (const candidate of [
    headers['x-svc-key'],
    bearer(headers.authorization),
    headers['x-api-key'],
    headers['x-goog-api-key'],
    headers['api-key'],
    queryKey,
  ]) {
    if (!candidate || typeof candidate !== 'string') continue;
    if (found === null || !found.startsWith('svc_sk_')) {
      found = candidate;
      continue;
    }
    if (candidate.startsWith('svc_sk_') && candidate !== found)
      throw new TollbookError('invalid', 'Two different wrapped keys were sent in one request; send one.');
  }
  return found;
}

/**
 * Returns the provider that takes calls with the login of a subscription. Throws unless the client sends such a login,
 * which goes to the provider and is not kept here.
 */
export function requireLogin(headers: IncomingHttpHeaders, key: GatewayKey, provider: Provider): Provider {
  const token = bearer(headers.authorization);
  const refusal =
    token === null || token.startsWith(SECRET_PREFIX) ? NO_LOGIN : provider.subscription?.refuseLogin(token);
  if (!refusal) return provider.subscription?.upstream?.provider ?? provider;
  throw new TollbookError(
    'wrong_secret',
    `The wrapped key "${key.name}" is for the login of a subscription. ${refusal}`,
  );
}

const NO_LOGIN =
  'Send the wrapped key in the header "x-svc-key", so that the client sends its own login as "Authorization: Bearer …".';

function bearer(authorization: string | undefined): string | null {
  if (!authorization) return null;
  return /^bearer\s+/i.test(authorization) ? authorization.replace(/^bearer\s+/i, '').trim() : null;
}
