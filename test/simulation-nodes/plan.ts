import { Dice } from '../simulation/dice.ts';

/** Kinds of steps, with how often each comes. */
const STEPS = {
  call: 40,
  end: 24,
  deliver: 70,
  drop: 2,
  double: 4,
  exchange: 16,
  heartbeat: 6,
  giveUp: 6,
  sweep: 8,
  ship: 7,
  dropIdle: 2,
  pass: 14,
  sleep: 1,
  crash: 1.2,
  start: 4,
  lose: 0.15,
  forget: 0.5,
  cut: 0.7,
  mend: 2,
  outage: 0.4,
  recover: 1.5,
  setAmount: 3,
  newLimit: 0.4,
  removeLimit: 0.2,
  readLimits: 6,
  watch: 8,
  correct: 0.5,
} as const;
export type StepName = keyof typeof STEPS | 'failover';

/** One thing that happens. All that it draws comes from its own seed, so that steps can be left out. */
export interface Step {
  readonly name: StepName;
  readonly seed: number;
}

/**
 * How the database fails over:
 * - `never`
 * - `synchronous`: every commit that was answered is kept
 * - `asynchronous`: the newest commits are lost
 */
type FailoverMode = 'never' | 'synchronous' | 'asynchronous';

/** What one counter counts of a call. */
type CounterKind = 'usd' | 'tokens' | 'calls' | 'concurrency';

export interface PlannedLimit {
  readonly kind: CounterKind;
  readonly amount: number;
  /** Length of its windows; null = one window that never ends. */
  readonly windowMs: number | null;
  /** It counts each value of a tag separately. */
  readonly isEachTag: boolean;
}

export interface PlannedNode {
  /** Its clock runs this many times as fast as the database's. */
  readonly drift: number;
  readonly startedAt: number;
  /** It runs a version that doesn't know recalls, tickets and wishes. */
  readonly isFormer: boolean;
}

export interface Plan {
  readonly seed: number;
  readonly limits: readonly PlannedLimit[];
  readonly nodes: readonly PlannedNode[];
  readonly failover: FailoverMode;
  /** Nodes neither die nor lose their connection, so a failover finds all of them. */
  readonly isSteady: boolean;
  readonly steps: readonly Step[];
}

const STEPS_MIN = 60;
const STEPS_MAX = 260;
const SEED_MAX = 2 ** 31;
const STEADY_NEVER: ReadonlySet<StepName> = new Set<StepName>(['crash', 'lose', 'cut', 'outage', 'sleep']);

/** @param length steps; absent = the schedule has its own number */
export function drawPlan(seed: number, length?: number): Plan {
  const dice = new Dice(seed);
  const failover = dice.weighed<FailoverMode>({ never: 6, synchronous: 1, asynchronous: 3 });
  const isSteady = dice.chance(0.3);
  const weights: Record<StepName, number> = { ...STEPS, failover: failover === 'never' ? 0 : 1.2 };
  const drawn = dice.whole(STEPS_MIN, STEPS_MAX);
  return {
    seed,
    failover,
    isSteady,
    limits: Array.from({ length: dice.chance(0.5) ? 1 : dice.whole(2, 3) }, () => drawLimit(dice)),
    nodes: Array.from({ length: dice.whole(2, 5) }, () => drawNode(dice)),
    steps: Array.from({ length: length ?? drawn }, () => ({
      name: dice.weighed(weights),
      seed: dice.whole(0, SEED_MAX),
    })).filter(({ name }) => !isSteady || !STEADY_NEVER.has(name)),
  };
}

export function drawLimit(dice: Dice): PlannedLimit {
  const kind = dice.weighed<CounterKind>({ usd: 4, tokens: 2, calls: 2, concurrency: 2 });
  const amount = kind === 'concurrency' || kind === 'calls' ? dice.whole(1, 10) : dice.whole(8, 100);
  const windowMs = kind !== 'concurrency' && dice.chance(0.3) ? 4_000 : null;
  return { kind, amount, windowMs, isEachTag: dice.chance(0.2) };
}

function drawNode(dice: Dice): PlannedNode {
  return { drift: 1 + (dice.next() - 0.5) * 0.02, startedAt: dice.whole(0, 1e6), isFormer: dice.chance(0.15) };
}
