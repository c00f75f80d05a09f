import type { Clock, Uptime } from '../lib/clock.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Steps of the wall clock up to this are followed at once: a clock that is kept in time makes them. */
export const SMALL_STEP_MS = 5 * SECOND;
/** A larger step forward is believed once it has stood for so long. */
export const STABLE_MS = MINUTE;
/** While the wall clock is behind by no more than this, ledger time stands still; beyond, it goes its own way. */
export const BEHIND_MS_MAX = 60 * MINUTE;

/** What happened to the wall clock, and by how many ms. */
export type ClockStep = 'jumped_ahead' | 'fell_behind';

export interface WindowClockOptions {
  readonly wall: Clock;
  readonly uptime: Uptime;
  /** Newest instant that a call is known to have begun at; 0 = none. */
  readonly from: number;
  readonly stepped: (step: ClockStep, ms: number) => void;
}

/**
 * The time that windows go by, in whole epoch ms. It moves with the clock that only goes forward and never falls, so
 * that no step of the wall clock opens a window anew or ends one early.
 */
export class WindowClock {
  readonly #options: WindowClockOptions;
  #time: number;
  /** Uptime at which `#time` was right. */
  #at: number;
  /** Added to a wall clock that fell far behind. */
  #skew = 0;
  #pending: { readonly offset: number; readonly since: number } | null = null;

  constructor(options: WindowClockOptions) {
    this.#options = options;
    const wall = Math.floor(options.wall());
    this.#at = options.uptime();
    this.#time = wall;
    if (options.from <= wall) return;
    if (options.from - wall <= BEHIND_MS_MAX) this.#time = options.from;
    // Nobody wants to stay in a future that was a mistake: the start is where it can be left.
    else options.stepped('fell_behind', options.from - wall);
  }

  /** Bound, so that it can be handed on as a clock. */
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

  /** A time that lies back lets ledger time stand still. */
  #set(time: number, uptime: number): void {
    const whole = Math.floor(time);
    // What a millisecond was cut by is kept for the next reading.
    this.#at = uptime - (time > this.#time ? time - whole : 0);
    this.#time = Math.max(this.#time, whole);
  }
}
