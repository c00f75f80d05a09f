import { addHeld, type CounterStatus, type Limit } from '../domain/limits/limit.ts';
import { windowAt } from '../domain/time/window.ts';
import { counterKey } from '../leases/exchange.ts';
import type { Clock } from '../lib/clock.ts';
import type { CounterStore } from '../storage/counter-store.ts';
import type { HeldElsewhere } from '../storage/node-amounts.ts';
import { toStanding } from './limit-service.ts';

/** Nodes say each second what they hold. Older figures are shown with their time. */
const FRESH_MS = 5_000;

interface HeldElsewhereParts {
  readonly read: (counters: readonly number[]) => Promise<readonly HeldElsewhere[]>;
  readonly counters: Pick<CounterStore, 'read'>;
  readonly clock: Clock;
}

/** Adds what open calls of other nodes hold to the status of some limits. */
export async function addHeldElsewhere(
  { read, counters, clock }: HeldElsewhereParts,
  limits: readonly Limit[],
  own: readonly CounterStatus[],
): Promise<CounterStatus[]> {
  const held = new Map((await read(limits.map(({ counter }) => counter))).map((each) => [counterKey(each), each]));
  if (held.size === 0) return [...own];
  const now = clock();
  const shown = own.map((status) => {
    const key = counterKey({ ...status, counter: status.limit.counter });
    const elsewhere = held.get(key);
    held.delete(key);
    return elsewhere ? withElsewhere(status, elsewhere, now) : status;
  });
  return [...shown, ...(await readOthers(limits, held, counters, now))];
}

/** Returns the counters under which only other nodes have calls. */
async function readOthers(
  limits: readonly Limit[],
  held: ReadonlyMap<string, HeldElsewhere>,
  counters: Pick<CounterStore, 'read'>,
  now: number,
): Promise<CounterStatus[]> {
  const open = new Map(
    limits.map((limit) => [limit.counter, { limit, window: windowAt(limit.window, now, limit.zones) }]),
  );
  const isOpen = ({ counter, windowStart }: HeldElsewhere): boolean => open.get(counter)?.window.start === windowStart;
  const states = await counters.read([...held.values()].filter(isOpen));
  return states.flatMap((state) => {
    const [known, elsewhere] = [open.get(state.counter), held.get(counterKey(state))];
    if (!known || !elsewhere) return [];
    return withElsewhere(toStanding(known.limit, state, known.window, now), elsewhere, now);
  });
}

function withElsewhere(status: CounterStatus, { held, ageMs }: HeldElsewhere, now: number): CounterStatus {
  const all = addHeld(status, held);
  return ageMs > FRESH_MS ? { ...all, heldAsOf: now - ageMs } : all;
}
