import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { GatewayKey } from '../../domain/identity/wrapped-key.ts';
import { TollbookError } from '../../domain/errors.ts';

/** Wrapped keys in memory, found by the hash of their text. The book thread keeps it current. */
export class KeyRing {
  readonly #keys = new Map<string, GatewayKey>();
  readonly #tokens = new Set<string>();
  /** What each open connection sent last: clients repeat their key, and hashing it each time costs more than a look. */
  readonly #lastOn = new WeakMap<object, { readonly secret: string; readonly hash: string }>();

  /** Takes what was there when the records were read; what `put` brought meanwhile is newer and stays. */
  load(keys: readonly GatewayKey[], tokenHashes: readonly string[]): void {
    for (const key of keys) if (!this.#keys.has(key.hash)) this.put(key);
    for (const token of tokenHashes) this.#tokens.add(token);
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
   * The live key behind a wrapped key's text. `connection` is where it came in.
   * Throws a `TollbookError` that says what is wrong: none given, unknown, revoked, expired, an access token.
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

  /** The same key as it stands now. Throws when it was revoked or has expired. */
  current({ hash: secretHash, name }: GatewayKey, now: number): GatewayKey {
    const key = this.#keys.get(secretHash);
    if (!key) throw new TollbookError('unknown_secret', `The wrapped key "${name}" is not known here any more.`);
    if (key.revokedAt !== null && key.revokedAt <= now)
      throw new TollbookError('unknown_secret', `The wrapped key "${key.name}" was revoked. Ask for a new one.`);
    if (key.expiresAt !== null && key.expiresAt <= now)
      throw new TollbookError('unknown_secret', `The wrapped key "${key.name}" has expired. Ask for a new one.`);
    if (key.providerKey === '')
      throw new TollbookError(
        'unavailable',
        `The provider key behind the wrapped key "${key.name}" can't be opened here. Set it anew: tollbook keys replace.`,
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
 * The secret of a request, from wherever the official client libraries put it.
 * One that looks like ours wins over others; two different ones of ours are refused, for it is unclear who pays.
 */
export function readRequestSecret(headers: IncomingHttpHeaders, queryKey: string | null): string | null {
  let found: string | null = null;
  for (const candidate of [bearer(headers.authorization), headers['x-api-key'], headers['x-goog-api-key'], queryKey]) {
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

function bearer(authorization: string | undefined): string | null {
  if (!authorization) return null;
  return /^bearer\s+/i.test(authorization) ? authorization.replace(/^bearer\s+/i, '').trim() : null;
}
