/** Time is an argument: everything that needs the time takes a clock. Epoch milliseconds. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** Milliseconds that only move forward, independent of the wall clock. For deadlines and durations. */
export type Uptime = () => number;

export const systemUptime: Uptime = () => performance.now();

/** A step of the wall clock by more than this was sleep, or the clock was set. */
const SLEEP_MS_MIN = 1_000;

/** Returns an uptime that also moves while the machine sleeps: the wall clock is ahead by that time afterwards. */
export function sleeplessUptime(uptime: Uptime, wall: Clock): Uptime {
  let slept = 0;
  let offset = wall() - uptime();
  return () => {
    const awake = uptime();
    const step = wall() - awake - offset;
    if (step > SLEEP_MS_MIN) slept += step;
    if (step > SLEEP_MS_MIN || step < 0) offset += step;
    return awake + slept;
  };
}

/** Puts work off. It is an argument where the order of things must be driven from outside. */
export interface Scheduler {
  /** In the next turn of the event loop, in the order of asking. */
  soon(act: () => void): void;
  /** After so many ms; the process doesn't stay alive for it. Returns what calls it off. */
  later(act: () => void, ms: number): () => void;
}

export const systemScheduler: Scheduler = {
  soon: (act) => void setImmediate(act),
  later: (act, ms) => {
    const timer = setTimeout(act, ms).unref();
    return () => clearTimeout(timer);
  },
};
