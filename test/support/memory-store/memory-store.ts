import type { LedgerStore } from '../../../src/storage/store.ts';
import { MemoryLedger } from './memory-ledger.ts';
import { memoryCounters } from './memory-counters.ts';
import { memoryEntries } from './memory-entries.ts';
import { memoryProviderReports } from './memory-provider-reports.ts';
import { MemoryReportRest, memoryReportRest } from './memory-unproxied-usage.ts';
import { MemoryObserved, memoryObserved } from './memory-observed.ts';
import { MemoryRefusals, memoryRefusals } from './memory-refusals.ts';
import { memoryReports } from './memory-usage-queries.ts';
import { MemorySessions, memorySessions } from './memory-sessions.ts';

/** Opens a ledger in memory without roll-ups: slow, but so simple that other engines are compared with it. */
export function openMemoryStore(): LedgerStore {
  const ledger = new MemoryLedger();
  const observed = new MemoryObserved(ledger);
  const sessions = new MemorySessions(observed);
  const rest = new MemoryReportRest();
  const refusals = new MemoryRefusals();
  return {
    entries: memoryEntries(ledger, sessions, rest, refusals),
    reports: memoryReports(ledger),
    counters: memoryCounters(ledger),
    sessions: memorySessions(sessions),
    observed: memoryObserved(observed, (workspaceId) => sessions.markAll(workspaceId)),
    providerReports: memoryProviderReports(rest),
    refusals: memoryRefusals(refusals),
    unproxiedUsage: memoryReportRest(rest),
    close: async () => undefined,
  };
}
