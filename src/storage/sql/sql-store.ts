import type { LedgerStore } from '../store.ts';
import { adjustEntries } from './adjust.ts';
import { readAgentParents } from './agent-parents.ts';
import { appendEntries, readMark } from './append.ts';
import { readAssistantCalls } from './assistant-calls.ts';
import { readContextUses, readNewestUses } from './context-uses.ts';
import {
  dropOtherCounters,
  listCounters,
  listFullest,
  pruneCounters,
  pruneIdleCounters,
  readCounters,
} from './counters.ts';
import { findEntries, readRecorded } from './find-entries.ts';
import { readKeySeen } from './key-seen.ts';
import { readKeyUses } from './key-use.ts';
import { pruneEntries } from './prune-entries.ts';
import { backfillCounters, recountNamedEntries, recountWindow } from './recount.ts';
import { sqlProviderReports } from './provider-reports.ts';
import { sqlRefusals } from './refusals.ts';
import { releaseUncertain } from './release-uncertain.ts';
import { sqlObservedCalls } from './observed-calls.ts';
import { readSeries } from './series.ts';
import { sqlSessions } from './session-records.ts';
import type { SqlLedger } from './sql-ledger.ts';
import { readModels, readSummary } from './summary.ts';
import { listTagKeys, sumByTag } from './tags.ts';
import { sqlUnproxiedUsage } from './unproxied-usage.ts';

/** Opens the store, which is the same code for each SQL engine. */
export function openSqlStore(ledger: SqlLedger): LedgerStore {
  return {
    entries: {
      append: (batch) => ledger.write(() => appendEntries(ledger, batch), 'append'),
      mark: (journalId) => ledger.read(() => readMark(journalId)),
      adjust: (adjustments, by) => ledger.write(() => adjustEntries(ledger, adjustments, by)),
      prune: (workspaceId, before, limit) => ledger.write(() => pruneEntries(ledger, workspaceId, before, limit)),
    },
    reports: {
      keyUses: (workspaceId, range) => ledger.read((reader) => readKeyUses(reader, workspaceId, range)),
      lateUses: (workspaceId, range) => ledger.read((reader) => readKeyUses(reader, workspaceId, range, 'late')),
      summary: (workspaceId, range) => ledger.read((reader) => readSummary(reader, workspaceId, range)),
      byTag: (workspaceId, tagKey, range) => ledger.read((reader) => sumByTag(reader, workspaceId, tagKey, range)),
      tagKeys: (workspaceId) => ledger.read((reader) => listTagKeys(reader, workspaceId)),
      series: (workspaceId, query) => ledger.read((reader) => readSeries(reader, workspaceId, query)),
      contextUses: (workspaceId, query) => ledger.read((reader) => readContextUses(reader, workspaceId, query)),
      newestUses: (workspaceId, query) => ledger.read((reader) => readNewestUses(reader, workspaceId, query)),
      assistantCalls: (workspaceId, query) => ledger.read((reader) => readAssistantCalls(reader, workspaceId, query)),
      sessionsBeginning: (...of) => ledger.read((reader) => reader.entries.sessionsBeginning(reader, ...of)),
      entriesPage: (workspaceId, query) => ledger.read((reader) => reader.entries.page(reader, workspaceId, query)),
      entry: (workspaceId, callId) => ledger.read((reader) => readRecorded(reader, workspaceId, callId)),
      find: (workspaceId, id) => ledger.read((reader) => findEntries(reader, workspaceId, id)),
      models: (workspaceId, range) => ledger.read((reader) => readModels(reader, workspaceId, range)),
      callHolds: (workspaceId, query) => ledger.read((reader) => reader.entries.callHolds(reader, workspaceId, query)),
      newestCallAt: (workspaceId) => ledger.read((reader) => reader.entries.newestStart(reader, workspaceId)),
      keySeen: (workspaceId, keyId, since) => ledger.read((reader) => readKeySeen(reader, workspaceId, keyId, since)),
    },
    counters: {
      list: (from, counters) => ledger.read(() => listCounters(from, counters)),
      agentParents: (query) => ledger.read((reader) => readAgentParents(reader, query)),
      read: (places) => ledger.read(() => readCounters(places)),
      fullest: (place, limit) => ledger.read(() => listFullest(place, limit)),
      backfill: (limit, window, pricedAs) => ledger.write(() => backfillCounters(ledger, limit, window, pricedAs)),
      recount: (limit, window, pricedAs) => ledger.read((reader) => recountWindow(reader, limit, window, pricedAs)),
      recountNamed: (limit, window) => ledger.read((reader) => recountNamedEntries(reader, limit, window)),
      release: (workspaceId, due) => ledger.write(() => releaseUncertain(ledger, workspaceId, due)),
      prune: (old) => ledger.write(() => pruneCounters(old)),
      pruneIdle: (check) => ledger.write(() => pruneIdleCounters(check)),
      keepOnly: (counters) => ledger.write(() => dropOtherCounters(counters)),
    },
    refusals: sqlRefusals(ledger),
    sessions: sqlSessions(ledger),
    observed: sqlObservedCalls(ledger),
    providerReports: sqlProviderReports(ledger),
    unproxiedUsage: sqlUnproxiedUsage(ledger),
    close: () => ledger.close(),
  };
}
