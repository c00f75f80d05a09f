import { vi } from 'vitest';
import { LeaseAuthority } from '../../src/leases/lease-authority.ts';
import type { LeaseStore } from '../../src/storage/lease-store.ts';
import type { TestLeases } from '../support/lease-stores.ts';
import type { LeaseShipment } from '../support/ship-uses.ts';
import { SimulatedDatabase } from './database.ts';
import { drawPlan } from './plan.ts';
import { play } from './simulate.ts';

/** Something that a schedule does to the authority. */
export interface Deed {
  readonly time: number;
  readonly method: keyof LeaseStore | 'ship' | 'correct' | 'setAmount';
  readonly values: readonly unknown[];
}

/** Plays a schedule, and returns all that it does to the authority. */
export function recordSchedule(seed: number): Deed[] {
  const deeds: Deed[] = [];
  let time = 0;
  const note = (method: Deed['method'], values: readonly unknown[]): void => void deeds.push({ time, method, values });
  const before = <Method extends keyof LeaseAuthority>(name: Method & Deed['method']): void => {
    const original = LeaseAuthority.prototype[name] as (...values: unknown[]) => unknown;
    vi.spyOn(LeaseAuthority.prototype, name as 'exchange').mockImplementation(function (
      this: LeaseAuthority,
      ...values: unknown[]
    ) {
      note(name, structuredClone(values));
      return original.apply(this, values) as ReturnType<LeaseAuthority['exchange']>;
    });
  };
  for (const name of ['register', 'exchange', 'ship', 'forget', 'correct', 'isInForce'] as const) before(name);
  const { setTime, putLimit } = SimulatedDatabase.prototype;
  vi.spyOn(SimulatedDatabase.prototype, 'setTime').mockImplementation(function (this: SimulatedDatabase, to) {
    time = to;
    setTime.call(this, to);
  });
  vi.spyOn(SimulatedDatabase.prototype, 'putLimit').mockImplementation(function (this: SimulatedDatabase, limit) {
    note('setAmount', [limit.counter, limit.isRemoved ? 0 : limit.amount]);
    return putLimit.call(this, limit);
  });
  play({ ...drawPlan(seed), failover: 'never' });
  vi.restoreAllMocks();
  return deeds;
}

/** Does it to an authority. Returns the answer. */
export async function perform(leases: TestLeases, { method, values }: Deed): Promise<unknown> {
  const { store, setAmount, ship, correct, prune } = leases;
  if (method === 'ship') return await ship(shipmentFrom(values as Parameters<LeaseAuthority['ship']>));
  if (method === 'correct') return await correct(...(values as Parameters<LeaseAuthority['correct']>));
  if (method === 'prune') return await prune(...(values as Parameters<LeaseAuthority['prune']>));
  if (method === 'setAmount') return await setAmount(...(values as [number, number]));
  const act = store[method] as (...values: readonly unknown[]) => Promise<unknown>;
  return await act.apply(store, [...values]);
}

function shipmentFrom([node, epoch, from, to, uses]: Parameters<LeaseAuthority['ship']>): LeaseShipment {
  return { node, epoch, from, to, uses };
}
