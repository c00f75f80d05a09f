import type { Clock } from '../lib/clock.ts';

/** A clock that shows past times while the demo creates past records. */
export class PastClock {
  readonly #clock: Clock;
  #behindMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  readonly now: Clock = () => this.#clock() - this.#behindMs;

  /** Does work at a past time. */
  async ago<Done>(ms: number, work: () => Promise<Done>): Promise<Done> {
    this.#behindMs = ms;
    try {
      return await work();
    } finally {
      this.#behindMs = 0;
    }
  }
}
