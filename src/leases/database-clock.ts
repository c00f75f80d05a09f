/** More than two clocks differ in speed. */
const DRIFT_MAX = 0.01;

/**
 * The authority's time, as a node knows it from answers: never ahead of it, so that no node opens a window early, and never
 * falling. It is behind by the way of the last answer, and 1 % of the time since then.
 */
export class DatabaseClock {
  #time = Number.NEGATIVE_INFINITY;
  #uptime = 0;

  /** Takes the time of an answer that has just arrived. */
  answered(time: number, uptime: number): void {
    this.#time = Math.max(time, this.now(uptime));
    this.#uptime = uptime;
  }

  /** Returns the time; -Infinity = there was no answer yet. */
  now(uptime: number): number {
    return this.#time + Math.floor((uptime - this.#uptime) * (1 - DRIFT_MAX));
  }
}
