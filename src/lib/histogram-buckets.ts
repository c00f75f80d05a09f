/** Observations sorted into buckets; the last bucket has no upper bound. */
export class HistogramBuckets {
  readonly counts: Float64Array;
  readonly #bounds: readonly number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    let index = 0;
    while (index < this.#bounds.length && value > (this.#bounds[index] ?? 0)) index += 1;
    this.counts[index] = (this.counts[index] ?? 0) + 1;
    this.sum += value;
  }
}
