import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { seedOfRun } from '../seeded.ts';
import { eventually } from '../service.ts';
import { expectFills, setExactPrice } from './fill-limit.ts';
import { load } from './limit-load.ts';
import { Limited } from './limited.ts';

// A limit holds through the death of the process: what was under way counts with all that it could cost.

const CALLS = Number(process.env['TEST_LIMIT_CALLS'] ?? 200);
const RUNS = Number(process.env['TEST_LIMIT_RUNS'] ?? 1);
const USD = 0.4;
const NANO_PER_USD = 1e9;
const FAULTS = { faults: 0.3, aborts: 0.1 };
/** Of some twenty that the limit pays for. */
const HELD_BACK = 4;

let dataDir: string;
let limited: Limited | undefined;
afterEach(async () => {
  await limited?.close();
  await rm(dataDir, { recursive: true, force: true });
});

test.each(['normal', 'full'])(
  'kill -9 under load exceeds no limit and blocks no call that fits (sync: %s)',
  async (sync) => {
    dataDir = await mkdtemp(join(tmpdir(), 'tollbook-limits-'));
    limited = await Limited.start({ dataDir, env: { SVC_JOURNAL_SYNC: sync } });
    await setExactPrice(limited);
    for (let run = 0; run < RUNS; run++) await expectHolds(limited, seedOfRun() + run, `run-${run}`);
  },
  RUNS * 60_000,
);

async function expectHolds(on: Limited, seed: number, round: string): Promise<void> {
  const scope = { kind: 'tag', key: 'round', value: round };
  const { id } = await on.limit({ scope, unit: 'usd', amount: USD, window: 'total' });
  const before = on.double.bill.total();
  const billed = () => Number(on.double.bill.total() - before) / NANO_PER_USD;
  const check = async (when: string) => {
    const standing = await on.settled(id);
    const what = JSON.stringify({ when, seed, standing });
    expect(billed(), what).toBeLessThanOrEqual(standing.counted);
    expect(standing.counted, what).toBeLessThanOrEqual(USD);
    expect(standing.held, what).toBe(0);
    return standing;
  };

  // All of these are under way when the process dies, and the provider charges for each.
  on.double.barrier.shut();
  const cut = load(on, seed, HELD_BACK, { faults: 0, aborts: 0 }, { round });
  await on.double.barrier.waiting(HELD_BACK);
  const { held } = await on.standing(id);
  await on.killAndStart();
  on.double.barrier.open();
  await cut;
  const dead = await check('after the first death');
  expect(dead.counted).toBe(held);
  expect(dead.uncertain).toBe(held);

  const seen = on.double.requests.length;
  const half = load(on, seed + 1, CALLS / 2, FAULTS, { round });
  await eventually(
    async () => on.double.requests.length,
    (requests) => requests >= seen + HELD_BACK,
  );
  await on.killAndStart();
  await half;
  await check('after the second death');
  await load(on, seed + 2, CALLS / 2, { faults: 0.2, aborts: 0 }, { round });
  expect((await check('at the end')).counted).toBeGreaterThan(USD * 0.85);
  await expectFills(on, id, { round });
}
