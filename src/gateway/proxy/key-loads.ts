import type { BodyHolder } from './body-budget.ts';
import type { ConnectionHolder } from './upstream.ts';

/** A wrapped key's part of what all keys share. */
export interface KeyLoad extends BodyHolder, ConnectionHolder {
  /** Its calls between begin and end, and its open free requests. */
  calls: number;
}

/** Loads of wrapped keys. Each is made at the first use of its key, so there are never more loads than keys. */
export class KeyLoads {
  readonly #loads = new Map<string, KeyLoad>();

  get(keyId: string): KeyLoad {
    let load = this.#loads.get(keyId);
    if (!load) this.#loads.set(keyId, (load = { name: keyId, calls: 0, bodyBytes: 0, connections: 0 }));
    return load;
  }
}
