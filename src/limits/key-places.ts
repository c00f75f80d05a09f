import { hasFreeShare, KEY_TIMES_FREE } from '../lib/concurrency/lanes.ts';

/** Places in memory. A key takes at most as many as it leaves free, so that it shuts no other key out. */
export class KeyPlaces {
  readonly max: number;
  readonly #byKey = new Map<string, number>();
  #taken = 0;

  constructor(max: number) {
    this.max = max;
  }

  get taken(): number {
    return this.#taken;
  }

  hasFree(keyId: string): boolean {
    return hasFreeShare(this.#byKey.get(keyId) ?? 0, this.#taken, this.max, KEY_TIMES_FREE);
  }

  /** @param keyId null = no key's */
  take(keyId: string | null): void {
    this.#taken += 1;
    if (keyId !== null) this.#byKey.set(keyId, (this.#byKey.get(keyId) ?? 0) + 1);
  }

  release(keyId: string | null): void {
    this.#taken -= 1;
    if (keyId === null) return;
    const left = (this.#byKey.get(keyId) ?? 0) - 1;
    if (left > 0) this.#byKey.set(keyId, left);
    else this.#byKey.delete(keyId);
  }
}
