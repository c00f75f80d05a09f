/**
 * Runs a task for all callers that ask during it, and pauses after each run, so that the number of runs is bounded
 * however many ask.
 */
export class SharedRefresh<T> {
  readonly #make: () => Promise<T>;
  readonly #pause: () => Promise<void>;
  #rested: Promise<void> = Promise.resolve();
  #making: Promise<T> | null = null;

  /** @param pause ends when the next making may begin */
  constructor(make: () => Promise<T>, pause: () => Promise<void>) {
    this.#make = make;
    this.#pause = pause;
  }

  ask(): Promise<T> {
    return (this.#making ??= this.#makeRested());
  }

  async #makeRested(): Promise<T> {
    try {
      await this.#rested;
      return await this.#make();
    } finally {
      this.#making = null;
      this.#rested = this.#pause();
    }
  }
}
