import type { BodyHolder } from './body-budget.ts';

/** What one wrapped key holds of what all keys share. */
export interface KeyLoad extends BodyHolder {
  /** Its calls between begin and end, and its free requests under way. */
  calls: number;
}

/** The loads of wrapped keys, made at a key's first use. There are never more than keys. */
export class KeyLoads {
  readonly #loads = new Map<string, KeyLoad>();

  of(keyId: string): KeyLoad {
    let load = this.#loads.get(keyId);
    if (!load) this.#loads.set(keyId, (load = { name: keyId, calls: 0, bodyBytes: 0 }));
    return load;
  }
}
