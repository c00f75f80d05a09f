import { afterAll, beforeAll, expect, test } from 'vitest';
import { seedOfRun } from '../seeded.ts';
import { expectFills, setExactPrice } from './fill-limit.ts';
import { Limited } from './limited.ts';
import { load, NO_FAULTS } from './limit-load.ts';

// What the provider charges for all calls that a limit admitted stays within it, by the provider's own bill. With
// `TEST_LIMIT_CALLS=1000 TEST_LIMIT_RUNS=100` more calls come at once, and more often; `TEST_SEED=7` repeats a run.

const CALLS = Number(process.env['TEST_LIMIT_CALLS'] ?? 200);
const RUNS = Number(process.env['TEST_LIMIT_RUNS'] ?? 1);
const USD = 0.2;
const NANO_PER_USD = 1e9;

let limited: Limited;
beforeAll(async () => {
  limited = await Limited.start();
  await setExactPrice(limited);
});
afterAll(() => limited?.close());

test.each([
  ['no trouble', NO_FAULTS],
  ['provider faults', { faults: 0.4, aborts: 0 }],
  ['faults and clients that leave', { faults: 0.3, aborts: 0.3 }],
])(
  'many concurrent calls under a limit for ten of them: %s',
  async (name, problem) => {
    for (let run = 0; run < RUNS; run++) {
      const seed = seedOfRun() + run;
      const round = `${name.replaceAll(' ', '-')}-${run}`;
      const scope = { kind: 'tag', key: 'round', value: round };
      const { id } = await limited.limit({ scope, unit: 'usd', amount: USD, window: 'total' });
      const before = limited.double.bill.total();
      const statuses = await load(limited, seed, CALLS, problem, { round });
      const standing = await limited.settled(id);
      const what = JSON.stringify({ seed, statuses, standing });
      const billed = Number(limited.double.bill.total() - before) / NANO_PER_USD;
      expect(billed, what).toBeLessThanOrEqual(USD);
      expect(billed, what).toBeLessThanOrEqual(standing.counted);
      expect(standing.counted, what).toBeLessThanOrEqual(USD);
      expect(standing.held, what).toBe(0);
      if (problem.aborts === 0) expect(standing.counted, what).toBeGreaterThan(USD * 0.85);
      if (problem === NO_FAULTS) expect(billed, what).toBeGreaterThan(USD * 0.85);
      await expectFills(limited, id, { round });
    }
  },
  RUNS * 60_000,
);
