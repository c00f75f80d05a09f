import { Dice } from './dice.ts';
import { AS_IT_IS, type Wiring } from './gateway.ts';
import { World } from './world.ts';

type Act = (world: World, dice: Dice) => void | Promise<void>;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Everything that can happen next. */
const ACTS = {
  arrive: (world, dice) => world.arrive(dice),
  progress: (world, dice) => world.gate?.progress(dice),
  finish: (world, dice) => world.gate?.finish(dice),
  leave: (world, dice) => world.gate?.clients.leave(dice),
  count: (world, dice) => world.gate?.clients.count(dice),
  sweep: (world) => world.gate?.sweep(),
  turn: (world) => world.turn(),
  moment: (world, dice) => world.pass(dice.whole(1, 300)),
  while: (world, dice) => world.pass(dice.whole(1, 90 * SECOND)),
  edge: (world, dice) => world.toEdge(dice),
  days: (world, dice) => world.pass(dice.whole(1, 9 * DAY)),
  step_ahead: (world, dice) => {
    world.time.wall += dice.pick([SECOND, 4 * SECOND, MINUTE, 2 * HOUR, 40 * DAY]);
  },
  step_back: (world, dice) => {
    world.time.wall -= dice.pick([SECOND, MINUTE, 30 * MINUTE, 90 * MINUTE, 2 * DAY]);
  },
  gate_hears: (world) => world.gatewayReceives(),
  book_hears: (world) => world.ledgerReceives(),
  ship: (world, dice) => world.ship(dice.whole(1, 6)),
  limit_comes: (world, dice) => world.createLimit(dice),
  limit_changes: (world, dice) => world.changeLimit(dice),
  limit_goes: (world, dice) => world.removeLimit(dice),
  zone_changes: (world, dice) => world.changeZone(dice),
  correct: (world, dice) => world.correct(dice),
  release: (world) => world.ledger?.release(),
  acknowledge: (world, dice) => world.acknowledge(dice),
  disk_fails: (world) => {
    world.disk.fault = 'refuse';
  },
  disk_works: (world) => {
    world.disk.fault = null;
  },
  disk_syncs: (world) => {
    world.disk.synced = world.disk.writes.length;
  },
  store_fails: (world, dice) => {
    if (world.ledger) world.ledger.fault = dice.pick(['refuse', 'say_so', 'forget_past']);
  },
  dies: (world, dice) => world.die(dice, false),
  dies_writing: (world, dice) => {
    world.disk.fault = dice.pick(['die_before', 'die_after']);
  },
  loses_power: (world, dice) => world.die(dice, true),
  closes: (world) => world.close(),
} satisfies Record<string, Act>;

type Kind = keyof typeof ACTS;
type Weights = Readonly<Record<Kind, number>>;

const ORDINARY: Weights = {
  arrive: 30,
  progress: 8,
  finish: 16,
  leave: 1,
  count: 8,
  sweep: 4,
  turn: 34,
  moment: 12,
  while: 2,
  edge: 2,
  days: 0.2,
  step_ahead: 0.3,
  step_back: 0.3,
  gate_hears: 8,
  book_hears: 4,
  ship: 6,
  limit_comes: 2,
  limit_changes: 3,
  limit_goes: 0.5,
  zone_changes: 0.3,
  correct: 2,
  release: 1,
  acknowledge: 0.5,
  disk_fails: 0.3,
  disk_works: 1,
  disk_syncs: 1,
  store_fails: 0.5,
  dies: 0.5,
  dies_writing: 0.5,
  loses_power: 0.2,
  closes: 0.3,
};

/** What a schedule is mostly about. */
const MOODS: readonly [Weights, ...Weights[]] = [
  ORDINARY,
  { ...ORDINARY, dies: 4, dies_writing: 4, loses_power: 1, closes: 1, store_fails: 3 },
  { ...ORDINARY, limit_comes: 6, limit_changes: 12, limit_goes: 3, gate_hears: 25, book_hears: 12, correct: 6 },
  { ...ORDINARY, step_ahead: 5, step_back: 5, edge: 10, while: 10, days: 1, zone_changes: 2 },
  { ...ORDINARY, disk_fails: 4, disk_works: 6, moment: 25, dies: 1 },
];

interface Step {
  readonly kind: Kind;
  readonly seed: number;
}

/** A schedule is drawn before it is played: a step that is left out changes no other. */
export interface Plan {
  readonly seed: number;
  /** As it was drawn. */
  readonly length: number;
  readonly steps: readonly Step[];
}

export interface Failure {
  readonly plan: Plan;
  /** The step after which something did not hold; the plan's length = when everything had come to rest. */
  readonly at: number;
  readonly error: Error;
}

const LENGTH_LEAST = 20;
const LENGTH_MOST = 300;

/** Most schedules are short, for these are many in little time; some are long, for states that take a while to reach. */
function drawLength(seed: number): number {
  return LENGTH_LEAST + Math.floor((LENGTH_MOST - LENGTH_LEAST) * new Dice(~seed).next() ** 10);
}

/** The first steps of a longer schedule are those of a shorter one. */
export function drawPlan(seed: number, length = drawLength(seed)): Plan {
  const dice = new Dice(seed);
  const weights = dice.pick(MOODS);
  const draw = (): Step => ({ kind: dice.weighed(weights), seed: dice.whole(0, 2 ** 30) });
  return { seed, length, steps: Array.from({ length }, draw) };
}

/** null = everything always held. */
export async function play(plan: Plan, wiring: Wiring = AS_IT_IS): Promise<Failure | null> {
  let at = -1;
  try {
    const world = new World(new Dice(plan.seed), wiring);
    await world.start();
    await world.check();
    for (const { kind, seed } of plan.steps) {
      at += 1;
      const act: Act = ACTS[kind];
      await act(world, new Dice(seed));
      await world.check();
    }
    at += 1;
    await world.rest(new Dice(plan.seed));
    return null;
  } catch (error) {
    return { plan, at, error: error as Error };
  }
}

/** Leaves out steps as long as something still fails. */
export async function shrink(failure: Failure, wiring: Wiring = AS_IT_IS): Promise<Failure> {
  let smallest = failure;
  for (let size = Math.ceil(smallest.plan.steps.length / 2); size >= 1; size = Math.floor(size / 2))
    for (let from = 0; from < smallest.plan.steps.length;) {
      const { steps, ...drawn } = smallest.plan;
      const fewer = [...steps.slice(0, from), ...steps.slice(from + size)];
      const again = await play({ ...drawn, steps: fewer }, wiring);
      if (again) smallest = again;
      else from += size;
    }
  return smallest;
}

export function describeFailure({ plan, at, error }: Failure): string {
  const { seed, length } = plan;
  const steps = plan.steps.slice(0, at + 1).map(({ kind }, index) => `  ${index}: ${kind}`);
  const last = at < plan.steps.length ? [] : ['  and then everything comes to rest'];
  const lengthGiven = length === drawLength(seed) ? '' : ` --length ${length}`;
  const again = `Again: SIMULATE_SEED=${seed} npx vitest run test/simulation, or npm run simulate -- --schedules 1 --seed ${seed}${lengthGiven}`;
  return [error.message, again, 'What is left of it:', ...steps, ...last, error.stack ?? ''].join('\n');
}
