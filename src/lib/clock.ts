/** Time is an argument: everything that needs the time takes a clock. Epoch milliseconds. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** Milliseconds that only go forward, at the pace of time, whatever happens to the wall clock. For deadlines and durations. */
export type Uptime = () => number;

export const systemUptime: Uptime = () => performance.now();
