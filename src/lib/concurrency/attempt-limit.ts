/** Maximum number of keys; beyond it, the oldest is dropped. This does not stop an attacker with more addresses. */
export const ATTEMPT_KEYS_MAX = 20_000;

interface AttemptCount {
  count: number;
  readonly endsAt: number;
}

/** Counts attempts by a key, in windows that begin with the first attempt. Times are epoch ms. */
export class AttemptLimit {
  readonly #max: number;
  readonly #windowMs: number;
  readonly #counts = new Map<string, AttemptCount>();

  constructor(max: number, windowMs: number) {
    this.#max = max;
    this.#windowMs = windowMs;
  }

  /** Takes one attempt. @returns ms until the next one is allowed; 0 = this one is */
  take(key: string, now: number): number {
    const known = this.#counts.get(key);
    const current = known && known.endsAt > now ? known : this.#begin(key, now);
    if (current.count >= this.#max) return current.endsAt - now;
    current.count += 1;
    return 0;
  }

  /** Drops the count of a key after an attempt that succeeded. */
  forget(key: string): void {
    this.#counts.delete(key);
  }

  forgetMatching(matches: (key: string) => boolean): void {
    for (const key of this.#counts.keys()) if (matches(key)) this.#counts.delete(key);
  }

  #begin(key: string, now: number): AttemptCount {
    // Inserted last, so that the map stays in the order in which windows end.
    this.#counts.delete(key);
    for (const [old, { endsAt }] of this.#counts) {
      if (endsAt > now && this.#counts.size < ATTEMPT_KEYS_MAX) break;
      this.#counts.delete(old);
    }
    const fresh = { count: 0, endsAt: now + this.#windowMs };
    this.#counts.set(key, fresh);
    return fresh;
  }
}
