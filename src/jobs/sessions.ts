import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../lib/clock.ts';
import type { Records } from '../storage/records/records.ts';
import type { Job } from './schedule.ts';
import { DAY_MS } from '../domain/time/units.ts';
import type { PricingOf, SessionStore } from '../storage/session-store.ts';

/** Sessions that are settled in one transaction. */
const SLICE_SESSIONS = 50;
/** Of a session without a record, what its calls used is kept so long; whoever uploads it later counts it anew. */
const USE_KEPT_DAYS = 400;

export interface SessionParts {
  readonly records: { readonly workspaces: Pick<Records['workspaces'], 'list'> };
  readonly sessions: Pick<SessionStore, 'settle' | 'unsettle' | 'pruneUse'>;
  readonly pricingOf: PricingOf;
  readonly clock: Clock;
}

/** Settles what a crash or a corrected price left, and prices usage that had no price. */
export function sessionsJob(parts: SessionParts): Job {
  return {
    name: 'sessions',
    everyMs: DAY_MS,
    async run(signal) {
      for (const { id } of await parts.records.workspaces.list()) await parts.sessions.unsettle(id, 'unpriced');
      await settleAll(parts, signal);
    },
  };
}

/** In slices, so that reports have their turn. */
export async function settleAll(
  { sessions, pricingOf }: Pick<SessionParts, 'sessions' | 'pricingOf'>,
  signal?: AbortSignal,
): Promise<void> {
  for (;;) {
    const settled = await sessions.settle(pricingOf, SLICE_SESSIONS);
    if (settled < SLICE_SESSIONS || signal?.aborted) return;
    await nextTurn();
  }
}

export function pruneSessionUseJob({ records, sessions, clock }: SessionParts, rowsMax: number): Job {
  return {
    name: 'prune_session_use',
    everyMs: DAY_MS,
    async run(signal) {
      for (const { id, retentionDays } of await records.workspaces.list()) {
        const before = clock() - Math.max(retentionDays, USE_KEPT_DAYS) * DAY_MS;
        while (!signal.aborted && (await sessions.pruneUse(id, before, rowsMax)) === rowsMax) await nextTurn();
      }
    },
  };
}
