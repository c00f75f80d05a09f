import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../lib/clock.ts';
import type { Records } from '../storage/records/records.ts';
import type { Job } from './schedule.ts';
import { DAY_MS } from '../domain/time/units.ts';
import type { ObservedStore } from '../storage/observed-store.ts';
import type { PricingOf, SessionStore } from '../storage/session-store.ts';

/** Sessions to compute, or observed calls to join, per transaction. */
const SLICE_SESSIONS = 50;
/** Time for which the calls of a session without a record are kept. A later upload counts them again. */
const USE_KEPT_DAYS = 400;

export interface SessionParts {
  readonly records: { readonly workspaces: Pick<Records['workspaces'], 'list'> };
  readonly sessions: Pick<SessionStore, 'computeMarked' | 'markForComputing' | 'pruneUse'>;
  readonly observed: Pick<ObservedStore, 'joinMarked' | 'markUnpriced'>;
  readonly pricingOf: PricingOf;
  readonly clock: Clock;
}

/** Joins calls and computes sessions again that a crash or a corrected price left, and prices unpriced usage. */
export function computeSessionsJob(parts: SessionParts): Job {
  return {
    name: 'sessions',
    everyMs: DAY_MS,
    async run(signal) {
      for (const { id } of await parts.records.workspaces.list()) {
        await parts.observed.markUnpriced(id);
        await parts.sessions.markForComputing(id, 'unpriced');
      }
      await computeMarkedSessions(parts, signal);
    },
  };
}

/** Parts that compute what arrivals changed. */
export type ComputingParts = Pick<SessionParts, 'sessions' | 'pricingOf' | 'clock'> & {
  readonly observed: Pick<ObservedStore, 'joinMarked'>;
};

/**
 * Joins all marked observed calls, and then computes all marked sessions, whose gateway calls or observed calls changed.
 * In slices, so that queries can run in between.
 */
export async function computeMarkedSessions(
  { sessions, observed, pricingOf, clock }: ComputingParts,
  signal?: AbortSignal,
): Promise<void> {
  await inSlices(() => observed.joinMarked(pricingOf, clock(), SLICE_SESSIONS), signal);
  await inSlices(() => sessions.computeMarked(pricingOf, SLICE_SESSIONS), signal);
}

async function inSlices(compute: () => Promise<number>, signal: AbortSignal | undefined): Promise<void> {
  for (;;) {
    const computed = await compute();
    if (computed < SLICE_SESSIONS || signal?.aborted) return;
    await setImmediate();
  }
}

export function pruneSessionUseJob({ records, sessions, clock }: SessionParts, rowsMax: number): Job {
  return {
    name: 'prune_session_use',
    everyMs: DAY_MS,
    async run(signal) {
      for (const { id, retentionDays } of await records.workspaces.list()) {
        const before = clock() - Math.max(retentionDays, USE_KEPT_DAYS) * DAY_MS;
        while (!signal.aborted && (await sessions.pruneUse(id, before, rowsMax)) === rowsMax) await setImmediate();
      }
    },
  };
}
