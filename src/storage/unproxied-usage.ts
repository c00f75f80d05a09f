import type { SpendCoverage } from '../domain/reconciliation/coverage.ts';
import type { UnproxiedModelUsage, UnproxiedTotals } from '../domain/reconciliation/unproxied-usage.ts';
import type { Period } from '../domain/time/period.ts';

/** A day that is to be settled; `serial` is another one each time that it is marked. */
export interface UnsettledDay {
  readonly day: number;
  readonly serial: number;
}

/** What a day of a connection holds beyond the calls of the gate. */
export interface SettledDay extends UnsettledDay {
  readonly connectionId: string;
  readonly workspaceId: string;
  readonly provider: string;
  /** The provider changes it no more: what is booked of it from now on is taken off. */
  readonly isClosed: boolean;
  /** What it was settled by, beside report and calls: whether it is closed, and which keys are one. */
  readonly terms: string;
  readonly rows: readonly UnproxiedModelUsage[];
}

/** Its totals are like those of local sessions: both are usage beside the calls of the gate. */
export interface UnproxiedSum {
  /** Start of its UTC day. */
  readonly day: number;
  readonly provider: string;
  readonly model: string | null;
  readonly totals: UnproxiedTotals;
}

export interface CoveredDay {
  readonly day: number;
  readonly connectionId: string;
  readonly coverage: SpendCoverage;
}

/**
 * Usage that organizations' reports hold beyond the calls of the gate, as rows by UTC day. `ProviderReportStore.keep`
 * marks the days whose usage it changed, `EntryStore.append` and `adjust` closed ones whose calls they change, each in
 * its own transaction; what else it depends on is marked with `unsettle`. A day counts whole, where its start lies.
 */
export interface UnproxiedUsageStore {
  /** The newest days first. */
  unsettled(connectionId: string, limit: number): Promise<UnsettledDay[]>;
  /** To be told before a closed day is worked out: calls of it that come from now on mark it. */
  closing(day: Pick<SettledDay, 'connectionId' | 'workspaceId' | 'provider' | 'day'>): Promise<void>;
  /** Replaces what stands of the day, in one transaction; one that was marked meanwhile stays to be settled. */
  settle(settled: SettledDay): Promise<void>;
  /** Marks the settled days of a range: `all`, those with usage that has no price, or those settled by other terms. */
  unsettle(
    connectionId: string,
    range: Period,
    which: 'all' | 'unpriced' | { readonly termsOtherThan: string },
  ): Promise<void>;
  /** By day, provider and model, of all connections of a workspace; where something is left. */
  rests(workspaceId: string, range: Period): Promise<UnproxiedSum[]>;
  /** The same of all days together; `day` is the first of them. */
  sums(workspaceId: string, range: Period): Promise<UnproxiedSum[]>;
  /** Of closed days. */
  coverage(workspaceId: string, range: Period): Promise<CoveredDay[]>;
}
