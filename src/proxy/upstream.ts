import type { Pool } from 'undici';
import { openPool } from '../lib/dispatchers.ts';

export interface UpstreamLimits {
  readonly upstreamConnectionsMax: number;
  readonly upstreamConnectMsMax: number;
  readonly upstreamSilenceMsMax: number;
}

/** Keep-alive connections to the providers, one pool for each origin. */
export class Upstreams {
  readonly #limits: UpstreamLimits;
  readonly #pools = new Map<string, Target>();

  constructor(limits: UpstreamLimits) {
    this.#limits = limits;
  }

  /** Where a provider is reached. Providers are few and added by the operator, so the map stays small. */
  target(url: string): Target {
    let target = this.#pools.get(url);
    if (!target) {
      const { origin, pathname } = new URL(url);
      target = { pool: this.#open(origin), origin, prefix: pathname === '/' ? '' : pathname.replace(/\/$/, '') };
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
      // One request a connection: an abort then ends exactly one call.
      allowH2: false,
      connect: { timeout: upstreamConnectMsMax },
      headersTimeout: upstreamSilenceMsMax,
      bodyTimeout: upstreamSilenceMsMax,
    });
  }
}

export interface Target {
  readonly pool: Pool;
  readonly origin: string;
  /** Path prefix of the provider's address, without a trailing slash. */
  readonly prefix: string;
}
