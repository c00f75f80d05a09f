import { Violation } from '../simulation/violation.ts';
import type { Plan } from './plan.ts';
import { checkRest } from './rest.ts';
import { AS_IT_IS, type Wiring, World } from './world.ts';

/** Plays schedules in a worker thread. */
export const PLAYER = new URL('player.ts', import.meta.url);

export interface Failure {
  readonly plan: Plan;
  readonly violation: Violation;
  readonly wiring: Wiring;
}

/** Plays a schedule; null = everything held. */
export function play(plan: Plan, wiring: Wiring = AS_IT_IS): Failure | null {
  try {
    const world = new World(plan, wiring);
    for (const step of plan.steps) world.act(step);
    checkRest(world);
    return null;
  } catch (error) {
    if (error instanceof Violation) return { plan, violation: error, wiring };
    throw error;
  }
}

/** Leaves out steps as long as the same invariant breaks. */
export function shrink(failure: Failure): Failure {
  let least = failure;
  for (let size = Math.ceil(least.plan.steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < least.plan.steps.length;) {
      const steps = least.plan.steps.toSpliced(at, size);
      const again = play({ ...least.plan, steps }, failure.wiring);
      if (again?.violation.message.slice(0, 2) === failure.violation.message.slice(0, 2)) least = again;
      else at += size;
    }
  }
  return least;
}

export function describeFailure({ plan, violation }: Failure): string {
  const { seed, steps, limits, nodes, failover } = plan;
  return [
    `Seed ${seed}: ${violation.message}`,
    `${nodes.length} nodes, failover ${failover}, limits ${JSON.stringify(limits)}`,
    ...steps.map(({ name, seed: own }) => `  ${name} ${own}`),
  ].join('\n');
}
