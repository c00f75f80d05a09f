import type { Pool } from 'undici';
import { TollbookError } from '../../domain/errors.ts';
import { openPool } from '../../lib/http/dispatchers.ts';
import { ADDRESS_TIMES_FREE, hasFreeShare, KEY_TIMES_FREE } from '../../lib/concurrency/lanes.ts';

export interface UpstreamLimits {
  readonly upstreamConnectionsMax: number;
  readonly upstreamConnectMsMax: number;
  readonly upstreamSilenceMsMax: number;
}

/** Keep-alive connections to the providers, one pool per origin. */
export class UpstreamPools {
  readonly #limits: UpstreamLimits;
  readonly #pools = new Map<string, UpstreamTarget>();

  constructor(limits: UpstreamLimits) {
    this.#limits = limits;
  }

  /** Returns the target of a provider's URL. Operators add few providers, so the map stays small. */
  target(url: string): UpstreamTarget {
    let target = this.#pools.get(url);
    if (!target) {
      const { origin, pathname } = new URL(url);
      const prefix = pathname === '/' ? '' : pathname.replace(/\/$/, '');
      target = new UpstreamTarget(this.#open(origin), origin, prefix, this.#limits.upstreamConnectionsMax);
      this.#pools.set(url, target);
    }
    return target;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map(({ pool }) => pool.destroy()));
  }

  #open(origin: string): Pool {
    const { upstreamConnectionsMax, upstreamConnectMsMax, upstreamSilenceMsMax } = this.#limits;
    return openPool(origin, {
      connections: upstreamConnectionsMax,
      pipelining: 1,
      // One request per connection: an abort then ends exactly one call.
      allowH2: false,
      connect: { timeout: upstreamConnectMsMax },
      headersTimeout: upstreamSilenceMsMax,
      bodyTimeout: upstreamSilenceMsMax,
    });
  }
}

/** A wrapped key or client address whose connections to providers are counted. */
export interface ConnectionHolder {
  connections: number;
  /** Runs after each released connection. */
  readonly connectionReleased?: () => void;
}

/** The address of one provider, and the use of the connections to it. */
export class UpstreamTarget {
  readonly pool: Pool;
  readonly origin: string;
  /** Path prefix of the provider's address, without a trailing slash. */
  readonly prefix: string;
  readonly #connectionsMax: number;
  #connections = 0;

  constructor(pool: Pool, origin: string, prefix: string, connectionsMax: number) {
    this.pool = pool;
    this.origin = origin;
    this.prefix = prefix;
    this.#connectionsMax = connectionsMax;
  }

  /**
   * Takes a connection for one request until the lease ends, or returns why not: all are in use, or as many as this
   * key or address may use. No request waits in the pool for others to end.
   */
  lease(key: ConnectionHolder, client: ConnectionHolder | null): ConnectionLease | TollbookError {
    const [taken, max] = [this.#connections, this.#connectionsMax];
    if (taken >= max) return allInUse(max);
    if (!hasFreeShare(key.connections, taken, max, KEY_TIMES_FREE)) return shareInUse('wrapped key', key, max);
    if (client && !hasFreeShare(client.connections, taken, max, ADDRESS_TIMES_FREE))
      return shareInUse('client address', client, max);
    this.#connections += 1;
    key.connections += 1;
    if (client) client.connections += 1;
    return new ConnectionLease(this, key, client);
  }

  /** Called by the lease only. */
  release(key: ConnectionHolder, client: ConnectionHolder | null): void {
    this.#connections -= 1;
    key.connections -= 1;
    if (!client) return;
    client.connections -= 1;
    client.connectionReleased?.();
  }
}

/** One request's use of a connection, from before it is sent until its answer has ended or was interrupted. */
export class ConnectionLease {
  readonly #target: UpstreamTarget;
  readonly #key: ConnectionHolder;
  readonly #client: ConnectionHolder | null;
  #isOpen = true;

  constructor(target: UpstreamTarget, key: ConnectionHolder, client: ConnectionHolder | null) {
    this.#target = target;
    this.#key = key;
    this.#client = client;
  }

  /** Releases the connection. Safe to call more than once. */
  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#target.release(this.#key, this.#client);
  }
}

function allInUse(max: number): TollbookError {
  return new TollbookError(
    'unavailable',
    `All ${max} connections to this provider are in use; try again in a moment.`,
    undefined,
    { retryAfter: 1 },
  );
}

function shareInUse(whose: string, { connections }: ConnectionHolder, max: number): TollbookError {
  return new TollbookError(
    'in_flight',
    `Requests of this ${whose} use ${connections} connections to providers, as many as it may use now of the ${max} to this one; wait until some have ended.`,
    undefined,
    { retryAfter: 1 },
  );
}
