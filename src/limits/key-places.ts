import { hasFreeShare, KEY_TIMES_FREE } from '../lib/concurrency/lanes.ts';

/** Characters of a name for which it takes another place. */
const CHARACTERS_PER_PLACE = 128;

/** Returns the places that a client's name takes in memory: long names take more, so that places bound the bytes. */
export function countNamePlaces(name: string): number {
  return 1 + Math.floor(name.length / CHARACTERS_PER_PLACE);
}

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
  take(keyId: string | null, places = 1): void {
    this.#taken += places;
    if (keyId !== null) this.#byKey.set(keyId, (this.#byKey.get(keyId) ?? 0) + places);
  }

  release(keyId: string | null, places = 1): void {
    this.#taken -= places;
    if (keyId === null) return;
    const left = (this.#byKey.get(keyId) ?? 0) - places;
    if (left > 0) this.#byKey.set(keyId, left);
    else this.#byKey.delete(keyId);
  }
}
