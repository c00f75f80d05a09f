import type { PricePeriod } from './draft-card.ts';

/**
 * What was found for a scope, a provider and a model as asked. Model names come from the wire: when `max` of them are
 * remembered, all are forgotten, which costs each live one a single search. A hit allocates nothing.
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

/** The inner map under a key, made when it isn't there. */
export function within<K, L, V>(outer: Map<K, Map<L, V>>, key: K): Map<L, V> {
  const inner = outer.get(key) ?? new Map<L, V>();
  outer.set(key, inner);
  return inner;
}
