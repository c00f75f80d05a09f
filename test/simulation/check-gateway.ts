import { isOnDemand, type Limit, type CounterStatus } from '../../src/domain/limits/limit.ts';
import type { LimitsEngine } from '../../src/limits/limits.ts';
import { findWindow } from './counter-places.ts';
import { inUnit, placeKey } from './true-call.ts';
import type { Truth } from './truth.ts';
import { must } from './violation.ts';

/** What open calls hold, and what they were charged so far, by the key of their places. */
interface Open {
  readonly held: ReadonlyMap<string, number>;
  readonly accrued: ReadonlyMap<string, number>;
}

/** Compares everything that the gate has in its memory with what is so. */
export function checkGateway(truth: Truth, ledger: LimitsEngine, now: number): void {
  truth.passed(now);
  const open = openIn(truth);
  const seen = new Set<string>();
  for (const standing of ledger.standings([...truth.limits.keys()], now, Number.MAX_SAFE_INTEGER)) {
    const key = placeKey({ counter: standing.limit.counter, ...standing });
    seen.add(key);
    checkStanding(truth, standing, key, open);
  }
  for (const limit of truth.limits.values()) checkAllSeen(truth, limit, seen, open, now);
  must(ledger.holds === truth.open.length, () => `1: ${ledger.holds} holds for ${truth.open.length} calls`);
  must(ledger.counters <= seen.size, () => `1: ${ledger.counters} counters, ${seen.size} are seen`);
  truth.alerts.check();
}

function openIn(truth: Truth): Open {
  const held = new Map<string, number>();
  const accrued = new Map<string, number>();
  const add = (sums: Map<string, number>, key: string, amount: number): void => {
    if (amount !== 0) sums.set(key, (sums.get(key) ?? 0) + amount);
  };
  for (const call of truth.open)
    for (const [key, { unit }] of call.places) {
      add(held, key, inUnit(unit, call.need));
      add(accrued, key, call.billIn(unit));
    }
  return { held, accrued };
}

function checkStanding(truth: Truth, standing: CounterStatus, key: string, open: Open): void {
  const limit = truth.limits.get(standing.limit.id);
  must(limit?.counter === standing.limit.counter, () => `1: ${standing.limit.id} has counters that are gone`);
  if (truth.isOff(key)) return;
  const { counted, uncertain, billed, most, beyond, behind } = truth.tallies.of(key);
  truth.alerts.checkStanding(limit, key, counted);
  const name = `${limit.id} (${limit.unit} ${key})`;
  const held = open.held.get(key) ?? 0;
  must(Number(standing.held) === held, () => `1: ${name} holds ${standing.held}, its open calls need ${held}`);
  must(Number(standing.counted) === counted, () => `6/8: ${name} counts ${standing.counted}, it should ${counted}`);
  must(
    Number(standing.uncertain) === uncertain,
    () => `6/8: ${name} has ${standing.uncertain} uncertain, it should ${uncertain}`,
  );
  const bill = billed + (open.accrued.get(key) ?? 0);
  if (limit.unit !== 'concurrency')
    must(bill <= counted + held + behind, () => `3: ${name} is billed ${bill}, counted ${counted}, held ${held}`);
  must(counted + held <= most + beyond, () => `3: ${name} has ${counted} + ${held}, its amount was ${most}`);
}

/** What is counted or held in a window that is open must stand somewhere. */
function checkAllSeen(truth: Truth, limit: Limit, seen: ReadonlySet<string>, { held }: Open, now: number): void {
  const prefix = `${limit.counter} ${findWindow(limit, now).start} `;
  for (const key of truth.tallies.keys()) {
    if (!key.startsWith(prefix) || seen.has(key)) continue;
    const { counted } = truth.tallies.of(key);
    must(counted === 0 || isOnDemand(limit), () => `6/8: ${limit.id} forgot ${counted} (${key})`);
    must(!held.has(key), () => `1: ${limit.id} forgot a hold (${key})`);
  }
}

/** Nothing is under way or still to be told: memory and book hold the same. */
export function checkRest(truth: Truth, now: number): void {
  const inBook = truth.inLedger();
  for (const limit of truth.limits.values()) {
    const { id, counter, unit } = limit;
    must(truth.hasPast(counter), () => `9: the past of ${id} is never told`);
    const prefix = `${counter} ${findWindow(limit, now).start} `;
    for (const key of new Set([...inBook.keys(), ...truth.tallies.keys()])) {
      if (!key.startsWith(prefix) || truth.countsTwice(key) || truth.isOff(key)) continue;
      const [ledger, memory] = [inBook.get(key)?.counted ?? 0, truth.tallies.of(key).counted];
      must(ledger === memory, () => `8: ${id} (${unit} ${key}) counts ${memory} in memory, ${ledger} in the book`);
    }
  }
}
