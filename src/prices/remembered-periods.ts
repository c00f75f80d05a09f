import type { PricePeriod } from './draft-card.ts';

/**
 * Cache of price periods by scope, provider and requested model. Clients choose the model names, so the cache is cleared
 * when it has `max` of them, which costs one search for each model in use. A hit allocates nothing.
 */
export class RememberedPeriods {
  readonly #max: number;
  readonly #found = new Map<string, Map<string, Map<string, readonly PricePeriod[]>>>();
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  get(scope: string, provider: string, model: string): readonly PricePeriod[] | undefined {
    return this.#found.get(scope)?.get(provider)?.get(model);
  }

  add(scope: string, provider: string, model: string, periods: readonly PricePeriod[]): void {
    if (this.#size >= this.#max) this.clear();
    within(within(this.#found, scope), provider).set(model, periods);
    this.#size += 1;
  }

  clear(): void {
    this.#found.clear();
    this.#size = 0;
  }
}

/** Returns the inner map of a key, and creates it if it is missing. */
export function within<K, L, V>(outer: Map<K, Map<L, V>>, key: K): Map<L, V> {
  const inner = outer.get(key) ?? new Map<L, V>();
  outer.set(key, inner);
  return inner;
}
