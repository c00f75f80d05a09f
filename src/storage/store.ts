import type { ProviderReportStore } from './provider-reports.ts';
import type { UnproxiedUsageStore } from './unproxied-usage.ts';
import type { EntryStore } from './entry-store.ts';
import type { CounterStore } from './counter-store.ts';
import type { RefusalStore } from './refusal-store.ts';
import type { UsageQueries } from './usage-queries.ts';
import type { ObservedStore } from './observed-store.ts';
import type { SessionStore } from './session-store.ts';

/**
 * The ports of the ledger. An engine implements them all; nothing outside `storage/` depends on the engine. Times are
 * epoch milliseconds, ranges half-open, money nano-USD (`bigint` for sums). Every query names its workspace.
 */
export interface LedgerStore {
  readonly entries: EntryStore;
  readonly reports: UsageQueries;
  readonly counters: CounterStore;
  readonly sessions: SessionStore;
  readonly observed: ObservedStore;
  readonly providerReports: ProviderReportStore;
  readonly refusals: RefusalStore;
  readonly unproxiedUsage: UnproxiedUsageStore;
  close(): Promise<void>;
}
