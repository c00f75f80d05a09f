import type { Clock } from '../lib/clock.ts';
import { DAY_MS } from '../domain/time/units.ts';

/** The demo's people began a little before its history does. */
const BEGAN_MS_AGO = 101 * DAY_MS;

/** A clock that shows past times while the demo creates past records. */
export class PastClock {
  readonly #clock: Clock;
  #behindMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  readonly now: Clock = () => this.#clock() - this.#behindMs;

  async longAgo<Done>(work: () => Promise<Done>): Promise<Done> {
    this.#behindMs = BEGAN_MS_AGO;
    try {
      return await work();
    } finally {
      this.#behindMs = 0;
    }
  }
}
