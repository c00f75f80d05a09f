import { expect, test } from 'vitest';
import { compare } from '../comparison/compare.ts';
import { seedOfRun } from '../seeded.ts';

// `TEST_SEED=7 npm test` repeats a run; `npm run compare` makes one as long as you like.

const CALLS = 1_200;
const seed = seedOfRun();

test('the ledger matches the bill to the nano-dollar or says why not, and nothing is left open', async () => {
  const { findings, entries, exact, exactNano } = await compare({ calls: CALLS, seed });
  expect(findings, `seed ${seed}`).toEqual([]);
  // Nearly all calls are plain ones: a comparison that compares little is none.
  expect(entries).toBeGreaterThan(CALLS * 0.95);
  expect(exact).toBeGreaterThan(CALLS * 0.7);
  expect(exactNano).toBeGreaterThan(0n);
});
