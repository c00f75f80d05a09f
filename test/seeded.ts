/** A number in [0, 1). */
export type Random = () => number;

/** A small seeded generator (mulberry32), so that a failure repeats. */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns a new seed for every run, or the one in `TEST_SEED`. */
export function seedOfRun(): number {
  return Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 1_000_000));
}
