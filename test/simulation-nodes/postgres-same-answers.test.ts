import { env } from 'node:process';
import { expect, test } from 'vitest';
import { counterKey, type LeaseAnswer, type LeaseItem, type LeaseRequest } from '../../src/leases/exchange.ts';
import type { CounterGrants } from '../../src/leases/counter-head.ts';
import { Dice } from '../simulation/dice.ts';
import { openMemoryLeases, openTestPostgresLeases, type TestLeases } from '../support/lease-stores.ts';
import { type Deed, perform, recordSchedule } from './record.ts';

/** More with `SIMULATE_SCHEDULES`. */
const SCHEDULES = Number(env['SIMULATE_SCHEDULES'] ?? 12);
const FIRST_SEED = Number(env['SIMULATE_SEED'] ?? 4_000);
/** Counters that a schedule may create. */
const COUNTERS = [1, 2, 3, 4, 5, 6];
const NODES = ['node0', 'node1', 'node2', 'node3', 'node4'];

test(`PostgreSQL answers each exchange of ${SCHEDULES} schedules like the authority in memory`, async () => {
  const postgres = await openTestPostgresLeases();
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SCHEDULES; seed += 1) {
    const dice = new Dice(seed);
    const memory = await openMemoryLeases();
    await empty(postgres);
    const deeds = withFailovers(recordSchedule(seed), dice).flatMap((deed) => [deed].concat(mischief(deed, dice)));
    await performOnBoth(seed, deeds, memory, postgres);
    const [expected, found] = [await memory.store.standings(COUNTERS), await postgres.store.standings(COUNTERS)];
    expect({ seed, standings: plain(found) }).toEqual({ seed, standings: plain(expected) });
  }
}, 600_000);

async function performOnBoth(
  seed: number,
  deeds: readonly Deed[],
  memory: TestLeases,
  postgres: TestLeases,
): Promise<void> {
  let time = -1;
  for (const [at, deed] of deeds.entries()) {
    if (deed.time !== time) for (const leases of [memory, postgres]) await leases.setTime(deed.time);
    ({ time } = deed);
    const expected = await perform(memory, deed);
    const answer = await perform(postgres, deed);
    expect({ seed, at, deed, answer: sorted(answer) }).toEqual({ seed, at, deed, answer: sorted(expected) });
  }
}

async function empty({ pool }: Awaited<ReturnType<typeof openTestPostgresLeases>>): Promise<void> {
  await pool.query({ text: 'TRUNCATE lease_heads, lease_grants, lease_nodes, limits, counters, marks' });
  await pool.query({ text: 'UPDATE lease_state SET generation = 1, changes = 0' });
}

/** Adds failovers. Each node then states completely what it has. */
function withFailovers(deeds: readonly Deed[], dice: Dice): Deed[] {
  let generation = 1;
  const behind = new Set<string>();
  return deeds.flatMap((deed): Deed[] => {
    const [request] = deed.values as [LeaseRequest];
    if (deed.method === 'exchange' && behind.has(request.node) && dice.chance(0.7)) {
      behind.delete(request.node);
      return [{ ...deed, values: [{ ...request, generation, isComplete: true }] }];
    }
    if (deed.method === 'exchange') return [{ ...deed, values: [{ ...request, generation }] }];
    if (!dice.chance(0.04)) return [deed];
    generation = dice.whole(1, 1_000);
    for (const name of NODES) behind.add(name);
    return [deed, { time: deed.time, method: 'promote', values: [generation] }];
  });
}

/** Things that no well-behaved node does, or only now and then. */
function mischief(deed: Deed, dice: Dice): Deed[] {
  const { time } = deed;
  const deeds: Deed[] = [];
  if (deed.method === 'exchange' && dice.chance(0.15))
    deeds.push({ ...deed, values: [twisted(deed.values[0] as LeaseRequest, dice)] });
  if (deed.method === 'exchange' && dice.chance(0.01)) {
    const { node, epoch } = deed.values[0] as LeaseRequest;
    deeds.push({ time, method: 'leave', values: [node, epoch] });
  }
  if (dice.chance(0.01)) {
    const before = time - dice.whole(0, 10_000);
    deeds.push({ time, method: 'prune', values: [[{ counter: dice.whole(1, 6), before }]] });
  }
  return deeds;
}

function twisted(request: LeaseRequest, dice: Dice): LeaseRequest {
  const near = (value: number, by: number): number => value + dice.whole(-by, by);
  return {
    ...request,
    seq: near(request.seq, 2),
    epoch: dice.chance(0.1) ? near(request.epoch, 1) : request.epoch,
    generation: dice.chance(0.1) ? dice.whole(1, 3) : request.generation,
    changes: near(request.changes, 1),
    position: Math.max(0, near(request.position, 1)),
    isComplete: dice.chance(0.3) ? !request.isComplete : request.isComplete,
    isHeartbeat: dice.chance(0.5),
    items: request.items.map((item) => (dice.chance(0.5) ? twistedItem(item, dice) : item)),
  };
}

function twistedItem(item: LeaseItem, dice: Dice): LeaseItem {
  const amount = (): number => dice.whole(0, dice.chance(0.1) ? Number.MAX_SAFE_INTEGER : 30);
  const lack = amount();
  return {
    ...item,
    keep: dice.chance(0.2) ? null : amount(),
    spent: amount(),
    need: dice.chance(0.3) ? 0 : amount(),
    lack,
    leastLack: Math.min(lack, amount()),
    wish: amount(),
    since: dice.chance(0.3) ? null : (item.since ?? 1_000_000) + dice.whole(-2_000, 2_000),
  };
}

/** Scarce counters have no order. */
function sorted(answer: unknown): unknown {
  const { kind, scarce } = (answer ?? {}) as Partial<LeaseAnswer>;
  return kind === 'granted' && scarce
    ? { ...(answer as LeaseAnswer), scarce: scarce.map(counterKey).toSorted() }
    : answer;
}

/** What is taken, without rows that say nothing. */
function plain(standings: readonly CounterGrants[]): unknown {
  return standings
    .map(({ place, base, taken, grants }) => ({
      key: counterKey(place),
      amounts: [base, taken],
      grants: [...grants]
        .filter(([, { granted, spent, used }]) => granted !== 0 || spent !== 0 || used !== 0)
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    }))
    .filter(({ amounts: [base, taken], grants }) => base !== 0 || taken !== 0 || grants.length > 0)
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
}
