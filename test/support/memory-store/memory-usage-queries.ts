import {
  emptySum,
  addTotals,
  addUnder,
  type MutableTotals,
  type UsageTotals,
} from '../../../src/domain/usage/usage-totals.ts';
import type { Entry } from '../../../src/domain/usage/call.ts';
import { effectiveEntry, effectiveProvenance } from '../../../src/storage/effective-entry.ts';
import { formatCursor, parseCursor } from '../../../src/storage/cursor.ts';
import { eachValues } from '../../../src/domain/limits/each-value.ts';
import { modelMatcher } from '../../../src/storage/backfill.ts';
import { endsLate, keyUseParts } from '../../../src/storage/key-use.ts';
import { ceil, floor } from '../../../src/storage/range-segments.ts';
import { entryTotals } from '../../../src/storage/totals.ts';
import { isIn, type MemoryLedger, type MemoryEntry, passes, tagOf, toRecordedEntry } from './memory-ledger.ts';
import { DAY_MS, HOUR_MS } from '../../../src/domain/time/units.ts';
import type { Period } from '../../../src/domain/time/period.ts';
import {
  CONTEXT_PARTS,
  type ContextPart,
  type ContextQuery,
  type ContextUse,
} from '../../../src/storage/usage-queries.ts';
import type {
  AssistantCalls,
  CallHold,
  CallHolds,
  CallHoldsQuery,
  EntriesQuery,
  KeySeen,
  KeyUse,
  ModelUse,
  RecordedEntry,
  SeriesQuery,
  SeriesRow,
  TagRow,
  UsageBreakdown,
  UsageQueries,
} from '../../../src/storage/usage-queries.ts';

export function memoryReports(ledger: MemoryLedger): UsageQueries {
  return {
    keyUses: async (workspaceId, range) => keyUses(ledger, workspaceId, range, () => true),
    lateUses: async (workspaceId, range) => keyUses(ledger, workspaceId, range, endsLate),
    summary: async (workspaceId, range) => summary(ledger, workspaceId, range),
    byTag: async (workspaceId, tagKey, range) => byTag(ledger, workspaceId, tagKey, range),
    tagKeys: async (workspaceId) => tagKeys(ledger, workspaceId),
    series: async (workspaceId, query) => series(ledger, workspaceId, query),
    contextUses: async (workspaceId, query) => contextUses(ledger, workspaceId, query),
    sessionsBeginning: async (workspaceId, prefix, limit) => {
      const uses = contextUses(ledger, workspaceId, { range: EVER, by: ['session'], filter: {} });
      return uses.flatMap(({ session }) => (session?.startsWith(prefix) ? [session] : [])).slice(0, limit);
    },
    newestUses: async (workspaceId, query) => ({
      uses: contextUses(ledger, workspaceId, query),
      from: query.range.start,
    }),
    assistantCalls: async (workspaceId, { range }) => ({
      calls: assistantCalls(ledger, workspaceId, range),
      from: range.start,
    }),
    entriesPage: async (workspaceId, query) => entriesPage(ledger, workspaceId, query),
    entry: async (workspaceId, callId) => {
      const found = ledger.detail(workspaceId).find(({ entry }) => entry.callId === callId);
      return found ? toRecordedEntry(found) : null;
    },
    find: async (workspaceId, id) => find(ledger, workspaceId, id),
    models: async (workspaceId, range) => models(ledger, workspaceId, range),
    callHolds: async (workspaceId, query) => callHolds(ledger, workspaceId, query),
    newestCallAt: async (workspaceId) => Math.max(0, ...ledger.detail(workspaceId).map(({ entry }) => entry.startedAt)),
    keySeen: async (workspaceId, keyId, since) => keySeen(ledger, workspaceId, keyId, since),
  };
}

function keyUses(
  ledger: MemoryLedger,
  workspaceId: string,
  range: Period,
  isMeant: (entry: Entry) => boolean,
): KeyUse[] {
  const whole = { start: ceil(range.start, DAY_MS), end: ceil(range.end, DAY_MS) };
  const own = ledger.all.filter(
    ({ entry }) => entry.workspaceId === workspaceId && isIn(whole, entry.startedAt) && isMeant(entry),
  );
  const sums = new Map<string, KeyUse>();
  for (const recorded of own) {
    const { startedAt, keyId } = recorded.entry;
    for (const use of keyUseParts(effectiveEntry(recorded), effectiveProvenance(recorded))) {
      const of = { day: floor(startedAt, DAY_MS), keyId, model: use.model, callModel: use.callModel, terms: use.terms };
      const name = JSON.stringify(of);
      const { amounts, calls, failedCalls, cost, uncertainUpTo } = sums.get(name) ?? NO_USE;
      const all = { ...amounts };
      for (const [one, count] of Object.entries(use.amounts) as [keyof typeof all, number][])
        if (count > 0) all[one] = (all[one] ?? 0) + count;
      sums.set(name, {
        ...of,
        amounts: all,
        calls: calls + use.calls,
        failedCalls: failedCalls + use.failedCalls,
        cost: cost + BigInt(use.cost),
        uncertainUpTo: uncertainUpTo + BigInt(use.uncertainUpTo),
      });
    }
  }
  return [...sums.values()].filter(({ calls, amounts }) => calls > 0 || Object.keys(amounts).length > 0);
}

const NO_USE: Pick<KeyUse, 'amounts' | 'calls' | 'failedCalls' | 'cost' | 'uncertainUpTo'> = {
  amounts: {},
  calls: 0,
  failedCalls: 0,
  cost: 0n,
  uncertainUpTo: 0n,
};

function summary(ledger: MemoryLedger, workspaceId: string, range: Period): UsageBreakdown {
  const total = emptySum();
  const byProvider = new Map<string, MutableTotals>();
  const byModel = new Map<string, MutableTotals>();
  for (const { entry, totals } of ledger.sums(workspaceId, range, {})) {
    addTotals(total, totals);
    addUnder(byProvider, entry.provider, totals);
    if (entry.model !== null) addUnder(byModel, entry.model, totals);
  }
  return { total, byProvider, byModel };
}

function byTag(ledger: MemoryLedger, workspaceId: string, tagKey: string, range: Period): TagRow[] {
  const sums = new Map<string, MutableTotals>();
  for (const { entry, totals } of ledger.sums(workspaceId, range, {})) {
    const value = tagOf(entry, tagKey);
    if (value !== null) addUnder(sums, value, totals);
  }
  return [...sums].map(([value, totals]) => tagRow(value, totals));
}

export function tagRow(value: string, totals: UsageTotals): TagRow {
  const { calls, cost, listBeyondCost, contractedBeyondCost, unpricedCalls, uncertainCalls, uncertainUpTo } = totals;
  return { value, calls, cost, listBeyondCost, contractedBeyondCost, unpricedCalls, uncertainCalls, uncertainUpTo };
}

function tagKeys(ledger: MemoryLedger, workspaceId: string): string[] {
  const own = ledger.sums(workspaceId, { start: 0, end: Infinity }, {});
  return [...new Set(own.flatMap(({ entry }) => Object.keys(entry.tags)))];
}

function series(ledger: MemoryLedger, workspaceId: string, query: SeriesQuery): SeriesRow[] {
  const { and } = query;
  return query.buckets.flatMap((bucket, index) => {
    const range = { start: bucket, end: query.buckets[index + 1] ?? query.range.end };
    const sums = new Map<string, MutableTotals>();
    for (const { entry, totals } of ledger.sums(workspaceId, range, query.filter)) {
      const values = [valueOf(entry, query), and ? valueOf(entry, { ...query, by: and }) : null];
      addUnder(sums, JSON.stringify(values), totals);
    }
    return [...sums].map(([key, totals]) => {
      const [value = null, second = null] = JSON.parse(key) as (string | null)[];
      return and ? { bucket, value, and: second, totals } : { bucket, value, totals };
    });
  });
}

const EVER = { start: 0, end: Number.MAX_SAFE_INTEGER };

function valueOf(entry: Entry, { by, tagKey }: SeriesQuery): string | null {
  if (by === null) return null;
  if (by === 'tag') return tagOf(entry, tagKey ?? '');
  if (by === 'key') return entry.keyId;
  if (by === 'status') return String(entry.status);
  if (by === 'request_class') return entry.context.requestClass;
  if (by === 'session' || by === 'agent' || by === 'run') return entry.context[by];
  return entry[by];
}

function contextUses(ledger: MemoryLedger, workspaceId: string, { range, by, filter }: ContextQuery): ContextUse[] {
  const groups = Map.groupBy(ledger.sums(workspaceId, range, filter), ({ entry }) =>
    JSON.stringify(by.map((part) => readPart(entry, part))),
  );
  return [...groups.values()].map((group) => {
    const totals = emptySum();
    for (const one of group) addTotals(totals, one.totals);
    const parts = CONTEXT_PARTS.map((part) => [
      part,
      by.includes(part) && group[0] ? readPart(group[0].entry, part) : null,
    ]);
    const names = Object.fromEntries(parts) as Pick<ContextUse, ContextPart>;
    return Object.assign(names, {
      firstAt: Math.min(...group.map(({ entry }) => entry.startedAt)),
      lastAt: Math.max(...group.map(({ entry }) => entry.endedAt)),
      totals,
    });
  });
}

function assistantCalls(ledger: MemoryLedger, workspaceId: string, range: Period): AssistantCalls[] {
  return ledger.sums(workspaceId, range, {}).flatMap(({ entry, totals }) => {
    const { context, sessionHash, keyId, provider, model, operation, startedAt, endedAt } = entry;
    if (sessionHash === null) return [];
    return [
      {
        sessionHash,
        keyId,
        provider,
        model,
        operation,
        firstAt: startedAt,
        lastAt: endedAt,
        totals,
        hour: floor(startedAt, HOUR_MS),
        session: context.session ?? sessionHash,
      },
    ];
  });
}

function readPart(entry: Entry, part: ContextPart): string | null {
  return part === 'model' || part === 'keyId' ? entry[part] : entry.context[part];
}

function callHolds(
  ledger: MemoryLedger,
  workspaceId: string,
  { range, scope, pricedAs, entriesMax }: CallHoldsQuery,
): CallHolds {
  const all = ledger.detail(workspaceId).filter(({ entry }) => isIn(range, entry.startedAt));
  const tooOld = all.at(-entriesMax - 1);
  const from = tooOld ? Math.min(tooOld.entry.startedAt + 1, range.end) : range.start;
  const matches = scope.kind === 'model' ? modelMatcher(scope.pattern, pricedAs) : () => false;
  const values = (entry: Entry): readonly string[] => {
    const { keyId, provider, requestedModel, context } = entry;
    if (scope.kind === 'each')
      return scope.keyId === null || scope.keyId === keyId ? eachValues(scope.of, context) : [];
    if (scope.kind === 'each_tag') return [tagOf(entry, scope.key) ?? '(none)'];
    const isMeant =
      scope.kind === 'workspace' ||
      (scope.kind === 'key' && scope.keyId === keyId) ||
      (scope.kind === 'provider' && scope.provider === provider) ||
      (scope.kind === 'tag' && tagOf(entry, scope.key) === scope.value) ||
      (requestedModel !== null && matches(provider, requestedModel));
    return isMeant ? [''] : [];
  };
  const calls = all
    .filter(({ entry }) => entry.startedAt >= from && entry.source === 'proxy' && entry.outcome !== 'not_sent')
    .map((recorded): CallHold => {
      const { startedAt, endedAt, keyId, provider, requestedModel, hold, counted } = effectiveEntry(recorded);
      const effective = { startedAt, endedAt, keyId, provider, requestedModel };
      return Object.assign(effective, { hold, counted, values: values(recorded.entry) });
    });
  return { calls: calls.filter((call) => call.values.length > 0), from };
}

function isRenamed({ sessionHash, context }: Entry, hash: string): boolean {
  return sessionHash === hash && context.session !== null && context.session !== hash;
}

const FOUND_MAX = 20;

function find(ledger: MemoryLedger, workspaceId: string, id: string): RecordedEntry[] {
  const own = ledger.detail(workspaceId).toReversed();
  const call = own.filter(({ entry }) => entry.callId === id);
  const found = call.length > 0 ? call : own.filter(({ entry }) => entry.requestId === id || entry.responseId === id);
  return found.slice(0, FOUND_MAX).map(toRecordedEntry);
}

function models(ledger: MemoryLedger, workspaceId: string, range: Period): ModelUse[] {
  const found = new Map<string, { provider: string; model: string | null; totals: MutableTotals }>();
  for (const { entry, totals } of ledger.sums(workspaceId, range, {})) {
    const { provider, model } = entry;
    const name = JSON.stringify([provider, model]);
    const row = found.get(name) ?? { provider, model, totals: emptySum() };
    addTotals(row.totals, totals);
    found.set(name, row);
  }
  return [...found.values()];
}

function keySeen(ledger: MemoryLedger, workspaceId: string, keyId: string, since: number): KeySeen | null {
  const range = { start: floor(since, DAY_MS), end: Infinity };
  const detailBegins = ledger.detailBegins.get(workspaceId) ?? 0;
  const times = ledger
    .sums(workspaceId, range, { keyId })
    .map(({ entry: { startedAt } }) => (startedAt < detailBegins ? floor(startedAt, HOUR_MS) : startedAt));
  return times.length === 0 ? null : { firstAt: Math.min(...times), lastAt: Math.max(...times) };
}

function entriesPage(
  ledger: MemoryLedger,
  workspaceId: string,
  { range, filter, cursor, limit }: EntriesQuery,
): { rows: RecordedEntry[]; next: string | null } {
  const from = cursor === null ? null : parseCursor(cursor);
  const isBefore = ({ entry, id }: MemoryEntry): boolean =>
    from === null || entry.startedAt < from.startedAt || (entry.startedAt === from.startedAt && id < from.id);
  const found = ledger
    .detail(workspaceId)
    .filter((recorded) => isIn(range, recorded.entry.startedAt) && passes(recorded.entry, filter) && isBefore(recorded))
    .filter((recorded) => {
      const totals = entryTotals(effectiveEntry(recorded));
      const isUncertain = totals.uncertainCalls === 1;
      const isUnpriced = totals.unpricedCalls === 1;
      if (filter.outcome !== undefined && recorded.entry.outcome !== filter.outcome) return false;
      if (filter.recordedReason !== undefined && recorded.entry.uncertainReason !== filter.recordedReason) return false;
      if (filter.renamedSession !== undefined && !isRenamed(recorded.entry, filter.renamedSession)) return false;
      if (filter.costMin !== undefined && (effectiveEntry(recorded).cost ?? -1) < filter.costMin) return false;
      return (filter.uncertain ?? isUncertain) === isUncertain && (filter.unpriced ?? isUnpriced) === isUnpriced;
    })
    .toReversed();
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const hasMore = found.length > page.length && last !== undefined;
  return {
    rows: page.map(toRecordedEntry),
    next: hasMore ? formatCursor({ startedAt: last.entry.startedAt, id: last.id }) : null,
  };
}
