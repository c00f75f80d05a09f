import type { UsageTotals } from '../domain/usage/usage-totals.ts';
import type { SpendCoverage } from '../domain/reconciliation/coverage.ts';
import type { UnproxiedModelUsage } from '../domain/reconciliation/unproxied-usage.ts';
import type { Period } from '../domain/time/period.ts';

/** A day to compute again. Every mark has a different `serial`. */
export interface MarkedDay {
  readonly day: number;
  readonly serial: number;
}

/** Usage of a connection's day beyond the calls of the gateway. */
export interface ComputedDay extends MarkedDay {
  readonly connectionId: string;
  readonly workspaceId: string;
  readonly provider: string;
  /** The provider's figures are final: calls that are recorded later are subtracted. */
  readonly isClosed: boolean;
  /**
   * Inputs of the computation other than report and calls: whether the day is closed, and which keys are the same.
   */
  readonly terms: string;
  readonly rows: readonly UnproxiedModelUsage[];
}

/** Sum of unproxied usage. Totals have the shape of those of local sessions. */
export interface UnproxiedSum {
  /** Start of its UTC day. */
  readonly day: number;
  readonly provider: string;
  readonly model: string | null;
  readonly totals: UsageTotals;
}

export interface CoveredDay {
  readonly day: number;
  readonly connectionId: string;
  readonly coverage: SpendCoverage;
}

/**
 * Usage in provider reports beyond the calls of the gateway, by UTC day. `ProviderReportStore.keep` marks days with
 * changed usage, `EntryStore.append` and `adjust` mark closed days with changed calls, each in its own transaction;
 * use `markDays` for other changes. A day counts as a whole, at its start.
 */
export interface UnproxiedUsageStore {
  /** Returns marked days, newest first. */
  markedDays(connectionId: string, limit: number): Promise<MarkedDay[]>;
  /** Call it before a closed day is computed: later calls of the day then mark it. */
  closing(day: Pick<ComputedDay, 'connectionId' | 'workspaceId' | 'provider' | 'day'>): Promise<void>;
  /** Replaces the rows of the day in one transaction. A day that was marked meanwhile stays marked. */
  replaceDay(computed: ComputedDay): Promise<void>;
  /** Marks computed days of a range: `all`, those with unpriced usage, or those computed by other terms. */
  markDays(
    connectionId: string,
    range: Period,
    which: 'all' | 'unpriced' | { readonly termsOtherThan: string },
  ): Promise<void>;
  /** Returns days that were computed before they were final, and marked days, whose figures may still change. Unsorted. */
  openDays(connectionId: string): Promise<number[]>;
  /** Returns the remaining usage by day, provider and model, over all connections of a workspace. */
  dailySums(workspaceId: string, range: Period): Promise<UnproxiedSum[]>;
  /** Returns the same for all days together; `day` is the first. */
  sums(workspaceId: string, range: Period): Promise<UnproxiedSum[]>;
  /** Returns the coverage of closed days. */
  coverage(workspaceId: string, range: Period): Promise<CoveredDay[]>;
}
