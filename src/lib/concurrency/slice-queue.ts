/**
 * Runs long work in slices, one slice in each turn of the event loop, in the order of requests: however many works there
 * are, everything else waits for one slice. As many wait as there are works, which the caller bounds.
 */
export class SliceQueue {
  readonly #waiting: (() => void)[] = [];

  /** Runs the next slice of a work when its turn has come. */
  wait(slice: () => void): void {
    this.#waiting.push(slice);
    if (this.#waiting.length === 1) setImmediate(() => this.#next());
  }

  /** No work waits for its turn. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  #next(): void {
    const [slice] = this.#waiting;
    // It stays in the list while it runs, so that what it adds waits for the next turn.
    try {
      slice?.();
    } finally {
      this.#waiting.shift();
      if (this.#waiting.length > 0) setImmediate(() => this.#next());
    }
  }
}
