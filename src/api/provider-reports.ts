import type { SpendCoverage } from '../domain/reconciliation/coverage.ts';
import type { ReportName } from '../domain/reconciliation/provider-report.ts';
import type { ReconciledDay } from '../domain/reconciliation/reconcile.ts';
import type { UnresolvedCalls } from '../domain/reconciliation/unresolved-calls.ts';
import type { Period } from '../domain/time/period.ts';
import type { AdminKey } from '../storage/records/admin-keys.ts';

/** Provider reports of organizations; provided by the ledger thread. */
export interface ProviderReportService {
  /**
   * Asks the provider for the organization of an admin key. Throws `unprocessable` for a refused key or one of another
   * kind, `upstream_unreachable` when the provider can't be reached.
   */
  identifyOrganization(
    provider: string,
    key: string,
  ): Promise<{ readonly id: string | null; readonly name: string | null }>;
  progress(key: AdminKey): Promise<ReportProgress>;
  /** Returns the days whose reports were read; null = none yet. */
  readTime(key: AdminKey): Promise<ReadTime | null>;
  /** Compares the ledger with the reports, for the days of a range that were read; null = none yet. */
  compare(key: AdminKey, range: Period): Promise<ReportComparison | null>;
  /**
   * Returns why calls of a key without an answer on these days stay uncertain; null = nothing prevents their
   * correction.
   */
  unresolvedCalls(adminKeyId: string, key: string, range: Period): UnresolvedCalls | null;
  /** Starts reading due reports. */
  start(): void;
  /** Schedules reading all its reports soon; false = no report sync is running. */
  sync(adminKeyId: string): boolean;
}

/** Days whose reports were read. */
export interface ReadTime extends Period {
  /** UTC days of these that the provider may still change, or that are not computed from their newest report yet. */
  readonly openDays: ReadonlySet<number>;
}

interface ReportComparison {
  /** Requested days that were read. */
  readonly range: Period;
  readonly names: readonly ReportName[];
  /** Days before this are final. */
  readonly closedBefore: number;
  /** Returns ids of wrapped keys of any workspace that used a key of the report on any of the days. */
  wrappedIn(key: string): ReadonlySet<string>;
  /** Yields days one by one, so that other work runs in between. */
  days(): AsyncIterable<ReconciledDay>;
}

export interface ReportProgress {
  /** Number of newest requested days whose reports were all read. */
  readonly days: number;
  readonly of: number;
  /** Time of the last complete usage read; null = never. */
  readonly readAt: number | null;
  /** Coverage of the last 30 final days. */
  readonly coverage: SpendCoverage;
}
