import { isUncertain, type Entry } from '../../../src/domain/usage/call.ts';
import { narrow } from '../../../src/domain/money/money.ts';
import type { CounterMove, CounterPlace, CounterState, Limit, CounterRef } from '../../../src/domain/limits/limit.ts';
import { effectiveEntry } from '../../../src/storage/effective-entry.ts';
import {
  addValue,
  countInUnit,
  modelMatcher,
  moveBetween,
  type Backfill,
  backfillCounter,
  toCounterStates,
  type ValueSums,
} from '../../../src/storage/backfill.ts';
import { countedIn } from '../../../src/storage/totals.ts';
import type { MemoryLedger, MemoryEntry } from './memory-ledger.ts';
import type { AgentParents } from '../../../src/domain/usage/call-context.ts';
import type { Period } from '../../../src/domain/time/period.ts';
import type { CounterRecount, CounterStore, PricedAs, UncertainRelease } from '../../../src/storage/counter-store.ts';

export function memoryCounters(ledger: MemoryLedger): CounterStore {
  return {
    async list(from, counters) {
      const isWanted = (state: CounterState): boolean => state.windowStart >= from || state.windowStart === 0;
      return [...ledger.counters.values()].filter(
        (state) => isWanted(state) && (counters === undefined || counters.includes(state.counter)),
      );
    },
    async agentParents({ workspaceId, keyId, session, agents, agentsMax, parentsMax }) {
      const calls = ledger.all
        .map(({ entry }) => entry)
        .filter((entry) => entry.workspaceId === workspaceId && entry.keyId === keyId)
        .filter(({ context }) => context.session === session);
      const line = new Set(agents);
      const found: AgentParents[] = [];
      for (const agent of line) {
        if (found.length >= agentsMax) break;
        const named = calls.filter(({ context }) => context.agent === agent).map(({ context }) => context.parentAgent);
        const parents = [...new Set(named.filter((parent) => parent !== null))].toSorted().slice(0, parentsMax);
        found.push({ agent, parents });
        for (const parent of parents) line.add(parent);
      }
      return found;
    },
    async read(places) {
      return places.map((place) => ledger.counters.get(keyOf(place)) ?? { ...place, counted: 0, uncertain: 0 });
    },
    async fullest({ counter, windowStart }, limit) {
      return [...ledger.counters.values()]
        .filter((state) => state.counter === counter && state.windowStart === windowStart)
        .filter(({ value, counted }) => value !== '' && counted > 0)
        .toSorted((a, b) => Number(b.counted) - Number(a.counted) || (a.value < b.value ? -1 : 1))
        .slice(0, limit);
    },
    async pruneIdle({ counter, before }) {
      drop(
        ledger,
        (state) => state.counter === counter && state.windowStart === 0 && newestUse(ledger, state) < before,
      );
      return null;
    },
    backfill: async (limit, window, pricedAs) => countPast(ledger, limit, window, pricedAs),
    recount: async (limit, window, pricedAs) => recount(ledger, limit, window, pricedAs),
    recountNamed: async (limit, window) => recountNamed(ledger, limit, window),
    release: async (workspaceId, due) => ({ moves: release(ledger, workspaceId, due), isDone: true }),
    async prune(old) {
      return old.reduce((sum, { counter, before }) => {
        if ((ledger.pasts.get(counter)?.start ?? before) < before) ledger.pasts.delete(counter);
        return sum + drop(ledger, (state) => state.counter === counter && isOlder(state, before));
      }, 0);
    },
    async keepOnly(counters) {
      const highest = Math.max(0, ...counters);
      const isGone = (counter: number): boolean => counter < highest && !counters.includes(counter);
      for (const list of [ledger.pasts, ledger.releases])
        for (const counter of list.keys()) if (isGone(counter)) list.delete(counter);
      return drop(ledger, ({ counter }) => isGone(counter));
    },
  };
}

function newestUse({ all }: MemoryLedger, place: CounterPlace): number {
  const uses = all.filter(({ entry }) => entry.touched.some((touch) => keyOf(touch) === keyOf(place)));
  return Math.max(0, ...uses.map(({ entry }) => entry.startedAt));
}

function isOlder({ windowStart }: CounterState, before: number): boolean {
  return windowStart !== 0 && windowStart < before;
}

function drop({ counters }: MemoryLedger, isOut: (state: CounterState) => boolean): number {
  const before = counters.size;
  for (const [key, state] of counters) if (isOut(state)) counters.delete(key);
  return before - counters.size;
}

function keyOf({ counter, windowStart, value }: CounterPlace): string {
  return JSON.stringify([counter, windowStart, value]);
}

/** Adds to a counter, also to one that is new. One that stands at 0 then is there no more. */
export function count(ledger: MemoryLedger, { counter, windowStart, value, ...more }: CounterMove): void {
  const key = keyOf({ counter, windowStart, value });
  const known = ledger.counters.get(key);
  const counted = BigInt(known?.counted ?? 0) + BigInt(more.counted);
  const uncertain = BigInt(known?.uncertain ?? 0) + BigInt(more.uncertain);
  if (counted === 0n && uncertain === 0n) ledger.counters.delete(key);
  else
    ledger.counters.set(key, { counter, windowStart, value, counted: narrow(counted), uncertain: narrow(uncertain) });
}

export function isReleased({ releases }: MemoryLedger, counter: number, { endedAt }: Entry): boolean {
  return endedAt < (releases.get(counter) ?? 0);
}

/** The counters that count an entry: those that it names, and those whose past it belongs to. */
export function touchesOf({ pasts }: MemoryLedger, { entry, id }: MemoryEntry): CounterRef[] {
  const named = new Set(entry.touched.map(({ counter }) => counter));
  const past = [...pasts.values()].flatMap((one) =>
    named.has(one.counter) ? [] : (backfillCounter(one, entry, id) ?? []),
  );
  return [...entry.touched, ...past];
}

function countPast(ledger: MemoryLedger, limit: Limit, window: Period, pricedAs: PricedAs): CounterState[] {
  const { counter } = limit;
  const past = pastOf(ledger, limit, window, pricedAs);
  const states = toCounterStates(counter, window.start, valuesOf(ledger, past));
  drop(ledger, (state) => state.counter === counter && state.windowStart === window.start);
  for (const state of states) ledger.counters.set(keyOf(state), state);
  ledger.pasts.set(counter, past);
  ledger.releases.delete(counter);
  return states;
}

function pastOf(ledger: MemoryLedger, limit: Limit, window: Period, pricedAs: PricedAs): Backfill {
  const { counter, workspaceId, scope, unit } = limit;
  const past = { counter, workspaceId, scope, unit, start: window.start, end: window.end, entry: ledger.all.length };
  if (scope.kind !== 'model') return { ...past, models: null, byRequested: false };
  const matches = modelMatcher(scope.pattern, pricedAs);
  const asked = window.start >= (ledger.detailBegins.get(workspaceId) ?? 0);
  const models = ledger.all.flatMap(({ entry: { provider, model, requestedModel } }) => {
    const named = asked ? requestedModel : model;
    return named !== null && matches(provider, named) ? [[provider, named] as const] : [];
  });
  return { ...past, models, byRequested: asked };
}

function valuesOf(ledger: MemoryLedger, past: Backfill): ValueSums {
  const values: ValueSums = new Map();
  for (const { entry, totals } of ledger.sums(past.workspaceId, past, { source: 'proxy' })) {
    // Which entries of a range there are was decided above, also where an hour counts whole.
    const touch = backfillCounter({ ...past, start: 0, end: Infinity }, entry, 0);
    const { counted, uncertain } = countedIn(past.unit, totals);
    if (touch) addValue(values, touch.value, counted, uncertain);
  }
  return values;
}

function recount(ledger: MemoryLedger, limit: Limit, window: Period, pricedAs: PricedAs): CounterRecount {
  const past = pastOf(ledger, limit, window, pricedAs);
  const values = valuesOf(ledger, past);
  for (const recorded of uncertainOf(ledger, limit.workspaceId)) {
    const touch = touchesOf(ledger, recorded).find((one) => isOf(one, limit.counter, window.start));
    const entry = effectiveEntry(recorded);
    if (!touch || !isReleased(ledger, limit.counter, entry)) continue;
    const [whole, sure] = [countInUnit(limit.unit, entry, false), countInUnit(limit.unit, entry, true)];
    const released = BigInt(whole.uncertain - sure.uncertain);
    addValue(values, touch.value, -released, -released);
  }
  const counted = [...ledger.counters.values()].filter((state) => isOf(state, limit.counter, window.start));
  return { expected: toCounterStates(limit.counter, window.start, values), counted };
}

function recountNamed(
  ledger: MemoryLedger,
  { counter, workspaceId, unit }: Limit,
  { start, end }: Period,
): CounterRecount | null {
  if (start < (ledger.detailBegins.get(workspaceId) ?? 0) || ledger.pasts.get(counter)?.byRequested === false)
    return null;
  const values: ValueSums = new Map();
  for (const recorded of ledger.detail(workspaceId)) {
    if (recorded.entry.startedAt < start || recorded.entry.startedAt >= end) continue;
    const entry = effectiveEntry(recorded);
    for (const touch of touchesOf(ledger, recorded).filter((one) => isOf(one, counter, start))) {
      const { counted, uncertain } = countInUnit(unit, entry, isReleased(ledger, counter, entry));
      addValue(values, touch.value, BigInt(counted), BigInt(uncertain));
    }
  }
  const counted = [...ledger.counters.values()].filter((state) => isOf(state, counter, start));
  return { expected: toCounterStates(counter, start, values), counted };
}

function isOf(touch: Pick<CounterRef, 'counter' | 'windowStart'>, counter: number, windowStart: number): boolean {
  return touch.counter === counter && touch.windowStart === windowStart;
}

function uncertainOf(ledger: MemoryLedger, workspaceId: string): MemoryEntry[] {
  return ledger.detail(workspaceId).filter((recorded) => isUncertain(effectiveEntry(recorded)));
}

function release(
  ledger: MemoryLedger,
  workspaceId: string,
  { counter, windowStart, until }: UncertainRelease,
): CounterMove[] {
  const from = Math.max(ledger.releases.get(counter) ?? 0, windowStart);
  const moves: CounterMove[] = [];
  for (const recorded of uncertainOf(ledger, workspaceId)) {
    const entry = effectiveEntry(recorded);
    if (entry.endedAt < from || entry.endedAt >= until) continue;
    ledger.releases.set(counter, Math.max(ledger.releases.get(counter) ?? 0, entry.endedAt + 1));
    for (const touch of touchesOf(ledger, recorded).filter((one) => isOf(one, counter, windowStart))) {
      const moved = moveBetween(touch, countInUnit(touch.unit, entry, false), countInUnit(touch.unit, entry, true));
      if (!moved) continue;
      count(ledger, moved);
      moves.push(moved);
    }
  }
  return moves;
}
