import { setImmediate } from 'node:timers/promises';
import type { Alert } from '../domain/alerts/alert.ts';
import { type CounterState, isOnDemand, type Limit, type LimitWindow } from '../domain/limits/limit.ts';
import { windowAt } from '../domain/time/window.ts';
import type { Clock } from '../lib/clock.ts';
import type { Records } from '../storage/records/records.ts';
import type { Job } from './schedule.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/time/units.ts';
import type { CounterStore, ReleaseResult } from '../storage/counter-store.ts';
import type { LeaseStore } from '../storage/lease-store.ts';

/** Counters of sessions, agents and runs that are read per turn. */
const IDLE_CHECKS_MAX = 5_000;
/**
 * Time for which the ledger keeps a counter without an end, of a session, agent or run, after its last call. A later
 * call begins at zero.
 */
export const IDLE_KEPT_MS = 90 * DAY_MS;
/** Time for which an authority keeps such a counter after the last exchange about it. It comes back from the ledger. */
const ASKED_KEPT_MS = DAY_MS;
/** Limits per turn. */
const AT_ONCE = 500;
/** Limits to compare per run; the next run continues. */
const RECOUNT_MAX = 10_000;
/** Time for which counters are kept after their window: at least as long as the window. */
const KEPT_MS: Readonly<Record<LimitWindow, number>> = {
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: 2 * DAY_MS,
  week: 8 * DAY_MS,
  month: 32 * DAY_MS,
  total: 0,
};

export interface CounterJobParts {
  readonly records: Pick<Records, 'limits'>;
  readonly counters: CounterStore;
  /** Limits that nodes share. Default: only this process uses the database. */
  readonly leases?: Pick<LeaseStore, 'prune' | 'pruneIdle' | 'keepOnly'> | null;
  readonly raise: (alert: Alert) => Promise<void>;
  /** Runs a change of counters, and sends its moves to the gateway. */
  readonly change: (work: () => Promise<ReleaseResult>) => Promise<ReleaseResult>;
  readonly clock: Clock;
}

/** Deletes the counters of removed limits and of windows before the last one. */
export function pruneCountersJob({ records, counters, leases, clock }: CounterJobParts): Job {
  return {
    name: 'prune_counters',
    everyMs: HOUR_MS,
    async run(signal) {
      const limits = await records.limits.all();
      const known = limits.map(({ counter }) => counter);
      await counters.keepOnly(known);
      await leases?.keepOnly(known);
      const now = clock();
      for (let at = 0; at < limits.length && !signal.aborted; at += AT_ONCE) {
        const some = limits.slice(at, at + AT_ONCE);
        const old = some.map(({ counter, window, zones }) => {
          return { counter, before: windowAt(window, now, zones).start - KEPT_MS[window] };
        });
        await counters.prune(old);
        await leases?.prune(old);
        await setImmediate();
      }
      for (const { counter } of limits.filter((limit) => limit.window === 'total' && isOnDemand(limit))) {
        await pruneIdle(counters, counter, now - IDLE_KEPT_MS, signal);
        if (leases) await pruneIdle(leases, counter, now - ASKED_KEPT_MS, signal);
      }
    },
  };
}

async function pruneIdle(
  store: Pick<CounterStore, 'pruneIdle'>,
  counter: number,
  before: number,
  signal: AbortSignal,
): Promise<void> {
  for (let after: string | null = ''; after !== null && !signal.aborted;) {
    after = await store.pruneIdle({ counter, before, after, limit: IDLE_CHECKS_MAX });
    await setImmediate();
  }
}

/** Takes uncertain amounts out of the counters of limits that release them after a while. */
export function releaseUncertainJob({ records, counters, clock, change }: CounterJobParts): Job {
  return {
    name: 'release_uncertain',
    everyMs: MINUTE_MS,
    async run(signal) {
      const now = clock();
      for (const limit of await records.limits.releasing()) {
        const { uncertain, counter, workspaceId, countsPast, window, zones } = limit;
        if (uncertain === 'keep' || !countsPast) continue;
        const windowStart = windowAt(window, now, zones).start;
        const due = { counter, windowStart, until: now - uncertain.releaseAfterMs };
        for (let done = false; !done;) {
          if (signal.aborted) return;
          const { isDone } = await change(() => counters.release(workspaceId, due));
          await setImmediate();
          done = isDone;
        }
      }
    },
  };
}

/** A counter that differs from the sum of its entries. */
interface CounterDifference {
  readonly limit: Limit;
  readonly windowStart: number;
  readonly counted: bigint;
  readonly expected: bigint;
}

interface RecountResult {
  readonly compared: number;
  readonly differences: readonly CounterDifference[];
}

/**
 * Compares current counters of limits with the sums of their calls, for at most `RECOUNT_MAX` limits from the
 * `from`-th on. The price name of a model at the time of a call is not stored, so limits of models are compared with
 * the calls that name them, if these are not too many.
 */
export async function recountLimits(
  { records, counters, clock }: Pick<CounterJobParts, 'records' | 'counters' | 'clock'>,
  from = 0,
  signal?: AbortSignal,
): Promise<RecountResult> {
  const all = await records.limits.all();
  const pending = await records.limits.pendingBackfills();
  const limits = all.filter((limit) => isCompared(limit) && !pending.has(limit.counter));
  const first = limits.length === 0 ? 0 : from % limits.length;
  const differences: CounterDifference[] = [];
  let compared = 0;
  for (const limit of limits.slice(first, first + RECOUNT_MAX)) {
    if (signal?.aborted) break;
    const window = windowAt(limit.window, clock(), limit.zones);
    const isNamed = limit.scope.kind === 'model' || isOnDemand(limit);
    const recounted = isNamed
      ? await counters.recountNamed(limit, window)
      : await counters.recount(limit, window, () => null);
    compared += 1;
    const counted = recounted?.counted ?? [];
    const expected = recounted?.expected ?? [];
    const compare = window.start === 0 && isOnDemand(limit) ? keptValues(expected, counted) : expected;
    const sums = { expected: sumCounted(compare), counted: sumCounted(counted) };
    // A limit that changed meanwhile has new counters.
    if (sums.counted !== sums.expected && (await records.limits.byCounter(limit.counter)))
      differences.push({ limit, windowStart: window.start, ...sums });
    await setImmediate();
  }
  return { compared, differences };
}

function isCompared({ countsPast, unit }: Limit): boolean {
  return countsPast && unit !== 'concurrency';
}

/** Returns the values that have a counter: those of sessions that ended long ago were deleted. */
function keptValues(expected: readonly CounterState[], counted: readonly CounterState[]): readonly CounterState[] {
  const kept = new Set(counted.map(({ value }) => value));
  return expected.filter(({ value }) => kept.has(value));
}

/** Sums over all values, because the limits engine decides which values share a counter. */
function sumCounted(states: readonly CounterState[]): bigint {
  return states.reduce((sum, { counted }) => sum + BigInt(counted), 0n);
}

/** Raises an alert where a counter and its calls differ. */
export function recountJob(parts: CounterJobParts): Job {
  let from = 0;
  return {
    name: 'recount',
    everyMs: HOUR_MS,
    async run(signal) {
      const { compared, differences } = await recountLimits(parts, from, signal);
      from += compared;
      for (const difference of differences) await parts.raise(differenceAlert(difference, parts.clock()));
    },
  };
}

function differenceAlert({ limit, windowStart, counted, expected }: CounterDifference, now: number): Alert {
  return {
    type: 'LEDGER_PROBLEM',
    severity: 'critical',
    workspaceId: limit.workspaceId,
    title: 'A limit does not match its calls',
    message: `The counter of limit ${limit.id} is ${counted}, but the calls of its window sum to ${expected} (${limit.unit}). Please report this; the entries in the ledger are right.`,
    episode: `recount:${limit.counter}:${windowStart}`,
    createdAt: now,
    scope: { limit: limit.id },
    value: null,
    threshold: null,
    period: null,
    evidence: { counter: limit.counter, windowStart, counted: String(counted), expected: String(expected) },
  };
}
