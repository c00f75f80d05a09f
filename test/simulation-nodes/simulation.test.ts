import { expect, test } from 'vitest';
import { run } from '../simulation/run.ts';
import { drawPlan } from './plan.ts';
import { describeFailure, play, PLAYER, shrink } from './simulate.ts';

/** The same in every run; new ones by `npm run simulate:nodes`. */
const SCHEDULES = 8_000;
const FIRST_SEED = 1_011_869_030;
/** The schedule of `SIMULATE_SEED` alone. */
const asked = process.env['SIMULATE_SEED'];
const seed = asked === undefined ? FIRST_SEED : Number(asked);
if (!Number.isSafeInteger(seed)) throw new Error(`SIMULATE_SEED is a whole number; "${asked}" is not.`);

test(`several nodes keep every invariant: ${asked === undefined ? SCHEDULES : 1} schedules from seed ${seed}`, async () => {
  const schedulesMax = asked === undefined ? SCHEDULES : 1;
  const { schedules, failure } = await run({ player: PLAYER, seed, length: null, schedulesMax });
  expect(failure ?? '').toBe('');
  expect(schedules).toBe(schedulesMax);
}, 300_000);

// Schedules that failed once.
test.each([
  { seed: 1_011_873_547, guarantee: 'an answer to a former registration of the process is not taken' },
  {
    seed: 93_126,
    guarantee: 'a limit exceeds its amount by no more than grants that were made while a node could not be known',
  },
  {
    seed: 700_116_861,
    guarantee: 'a lowered amount is not in force while a node that registered again runs on its old lease',
  },
])('$guarantee: seed $seed', ({ seed: failed }) => {
  const failure = play(drawPlan(failed));
  expect(failure && describeFailure(shrink(failure))).toBeNull();
});
