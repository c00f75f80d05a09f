/** Time is an argument: everything that needs the time takes a clock. Epoch milliseconds. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();
