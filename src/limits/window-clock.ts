import type { Clock, Uptime } from '../lib/clock.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Largest step of the wall clock that is followed immediately; time synchronization makes such steps. */
export const SMALL_STEP_MS = 5 * SECOND;
/** A larger step forward is followed after it has lasted this long. */
export const STABLE_MS = MINUTE;
/** Window time pauses while the wall clock is behind by at most this, and goes its own way beyond. */
export const BEHIND_MS_MAX = 60 * MINUTE;

/** Kind of step that the wall clock made. */
export type ClockStep = 'jumped_ahead' | 'fell_behind';

export interface WindowClockOptions {
  readonly wall: Clock;
  readonly uptime: Uptime;
  /** Start of the newest known call; 0 = none. */
  readonly from: number;
  readonly stepped: (step: ClockStep, ms: number) => void;
}

/**
 * The time for limit windows, in whole epoch ms. It moves with the monotonic clock and never falls, so that no
 * step of the wall clock opens a window again or ends one early.
 */
export class WindowClock {
  readonly #options: WindowClockOptions;
  #time: number;
  /** Uptime at which `#time` was set. */
  #at: number;
  /** Offset added to a wall clock that fell far behind. */
  #skew = 0;
  #pending: { readonly offset: number; readonly since: number } | null = null;

  constructor(options: WindowClockOptions) {
    this.#options = options;
    const wall = Math.floor(options.wall());
    this.#at = options.uptime();
    this.#time = wall;
    if (options.from <= wall) return;
    if (options.from - wall <= BEHIND_MS_MAX) this.#time = options.from;
    // The stored time may have been a mistake in the future; a start is the moment to leave it.
    else options.stepped('fell_behind', options.from - wall);
  }

  /** Bound, so that it can be passed on as a clock. */
  readonly now = (): number => {
    const uptime = this.#options.uptime();
    const wall = this.#wall();
    const expected = this.#time + (uptime - this.#at);
    if (wall > expected + SMALL_STEP_MS) this.#ahead(wall, expected, uptime);
    else {
      this.#pending = null;
      if (this.#time - wall > BEHIND_MS_MAX) this.#goOn(wall, expected, uptime);
      else this.#set(wall, uptime);
    }
    return this.#time;
  };

  #wall(): number {
    const wall = this.#options.wall();
    if (this.#skew > 0 && wall >= this.#time) this.#skew = 0;
    return wall + this.#skew;
  }

  #ahead(wall: number, expected: number, uptime: number): void {
    const offset = wall - uptime;
    if (!this.#pending || Math.abs(this.#pending.offset - offset) > SMALL_STEP_MS)
      this.#pending = { offset, since: uptime };
    if (uptime - this.#pending.since < STABLE_MS) return this.#set(expected, uptime);
    this.#pending = null;
    this.#set(wall, uptime);
    this.#options.stepped('jumped_ahead', Math.round(wall - expected));
  }

  #goOn(wall: number, expected: number, uptime: number): void {
    this.#skew += expected - wall;
    this.#set(expected, uptime);
    this.#options.stepped('fell_behind', Math.round(expected - wall));
  }

  /** Sets window time, or pauses it when the new time is earlier. */
  #set(time: number, uptime: number): void {
    const whole = Math.floor(time);
    // Keep the fraction of a millisecond for the next reading.
    this.#at = uptime - (time > this.#time ? time - whole : 0);
    this.#time = Math.max(this.#time, whole);
  }
}
