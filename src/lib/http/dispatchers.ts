import type { Client, Pool } from 'undici';
import ClientOfUndici from 'undici/lib/dispatcher/client.js';
import PoolOfUndici from 'undici/lib/dispatcher/pool.js';

/*
 * The two parts of undici that a service needs, each by its file: the package's index evaluates its fetch, its caches and
 * its test doubles too, which are 11 MB and 40 ms in each thread.
 */

/** Keep-alive connections to one origin. */
export function openPool(origin: string, options: Pool.Options): Pool {
  return new PoolOfUndici(origin, options);
}

/** One connection to an origin. */
export function openClient(origin: string, options: Client.Options): Client {
  return new ClientOfUndici(origin, options);
}
