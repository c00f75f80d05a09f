import { isEmptySum, sumTotals, type UsageTotals } from '../../../src/domain/usage/usage-totals.ts';
import { readSourceModel } from '../../../src/domain/sessions/local-call.ts';
import type { SessionRecord } from '../../../src/domain/sessions/session-record.ts';
import { floor } from '../../../src/storage/range-segments.ts';
import {
  NOTHING_UNPROXIED,
  type UnproxiedRecord,
  subtractGatewayUse,
} from '../../../src/storage/unproxied-sessions.ts';
import { addUsed, sessionUses, type SessionUse, useKey } from '../../../src/storage/session-use.ts';
import type { Entry } from '../../../src/domain/usage/call.ts';
import { isIn } from './memory-ledger.ts';
import { type MemoryObserved, observedUses } from './memory-observed.ts';
import { HOUR_MS } from '../../../src/domain/time/units.ts';
import type { Period } from '../../../src/domain/time/period.ts';
import type {
  AssistantUse,
  SessionPricing,
  SessionStore,
  SessionSum,
  SessionUpload,
  UploadResult,
} from '../../../src/storage/session-store.ts';

interface StoredRecord extends Pick<SessionUpload, 'workspaceId' | 'source' | 'tokenId'> {
  readonly record: SessionRecord;
  rest: UnproxiedRecord;
}

/** Records and uses of sessions, in lists. */
export class MemorySessions {
  records: StoredRecord[] = [];
  /** By workspace and session, then by what is kept apart. */
  readonly uses = new Map<string, Map<string, SessionUse>>();
  /** Workspace and session. */
  readonly unsettled = new Map<string, readonly [string, string]>();
  readonly observed: MemoryObserved;

  constructor(observed: MemoryObserved) {
    this.observed = observed;
  }

  /** What an appended entry changes. */
  append(entry: Entry): void {
    const { workspaceId, sessionHash } = entry;
    for (const use of sessionUses(entry)) {
      const key = keyOf(workspaceId, sessionHash ?? '');
      const kept = this.uses.get(key) ?? new Map<string, SessionUse>();
      const before = kept.get(useKey(use));
      kept.set(useKey(use), before ? { ...use, used: addUsed(before.used, use.used) } : use);
      this.uses.set(key, kept);
      if (this.of(workspaceId, sessionHash ?? '').length > 0) this.mark(workspaceId, sessionHash ?? '');
    }
    if (this.observed.of(workspaceId).length > 0) this.markAll(workspaceId);
  }

  /** Marks all sessions with records. */
  markAll(workspaceId: string): void {
    for (const one of this.records) if (one.workspaceId === workspaceId) this.mark(workspaceId, one.record.sessionId);
  }

  of(workspaceId: string, sessionId: string): StoredRecord[] {
    return this.records.filter((one) => one.workspaceId === workspaceId && one.record.sessionId === sessionId);
  }

  mark(workspaceId: string, sessionId: string): void {
    this.unsettled.set(keyOf(workspaceId, sessionId), [workspaceId, sessionId]);
  }

  settle(workspaceId: string, sessionId: string, pricing: SessionPricing): void {
    const own = this.of(workspaceId, sessionId);
    const proxied = this.uses.get(keyOf(workspaceId, sessionId))?.values() ?? [];
    const uses = [...proxied, ...this.observed.sessionUses(workspaceId, sessionId)];
    const rests = subtractGatewayUse(own, uses, pricing);
    for (const [index, rest] of rests.entries()) if (own[index]) own[index].rest = rest;
    this.unsettled.delete(keyOf(workspaceId, sessionId));
  }
}

function keyOf(workspaceId: string, sessionId: string): string {
  return JSON.stringify([workspaceId, sessionId]);
}

export function memorySessions(sessions: MemorySessions): SessionStore {
  return {
    upload: async (upload, pricing) => replace(sessions, upload, pricing),
    async computeMarked(pricingOf, limit) {
      const due = [...sessions.unsettled.values()].slice(0, limit);
      for (const [workspaceId, sessionId] of due) sessions.settle(workspaceId, sessionId, pricingOf(workspaceId));
      return due.length;
    },
    async markForComputing(workspaceId, which) {
      for (const one of sessions.records)
        if (one.workspaceId === workspaceId && (which === 'all' || isUnpriced(one.rest.totals)))
          sessions.mark(workspaceId, one.record.sessionId);
    },
    sums: async (workspaceId, range) => [
      ...sums(sessions, workspaceId, range),
      ...sessions.observed.sums(workspaceId, range),
    ],
    assistantUses: async (workspaceId, { range, session }) => {
      const all = [...recordUses(sessions, workspaceId, range), ...observedUses(sessions.observed, workspaceId, range)];
      return { uses: all.filter((one) => session === undefined || one.session === session), from: range.start };
    },
    async synced(workspaceId, session) {
      const own = sessions.of(workspaceId, session);
      if (own.length === 0) return null;
      return sumTotals(own.map(({ rest }) => rest));
    },
    pruneUse: async (workspaceId, before, limit) => pruneUse(sessions, workspaceId, before, limit),
  };
}

function replace(sessions: MemorySessions, upload: SessionUpload, pricing: SessionPricing): UploadResult {
  const { workspaceId, source, tokenId, records } = upload;
  const isReplaced = (one: StoredRecord): boolean =>
    one.workspaceId === workspaceId &&
    one.source === source &&
    records.some(({ sessionId, model }) => sessionId === one.record.sessionId && model === one.record.model);
  const kept = sessions.records.filter((one) => !isReplaced(one));
  const replaced = sessions.records.length - kept.length;
  const added = records.map((record) => ({ workspaceId, source, tokenId, record, rest: NOTHING_UNPROXIED }));
  sessions.records = [...kept, ...added];
  const ids = new Set(records.map(({ sessionId }) => sessionId));
  for (const id of ids) sessions.settle(workspaceId, id, pricing);
  const counted = sumTotals(added.map(({ rest }) => rest));
  return { sessions: ids.size, replaced, counted };
}

function sums({ records }: MemorySessions, workspaceId: string, range: Period): SessionSum[] {
  const groups = new Map<string, SessionSum>();
  for (const { source, tokenId, record, rest, ...one } of records) {
    const hour = floor(Date.parse(record.timestamp), HOUR_MS);
    if (one.workspaceId !== workspaceId || !isIn(range, hour) || isEmptySum(rest.totals)) continue;
    const { provider, name } = readSourceModel(source, record.model);
    const key = JSON.stringify([source, tokenId, record.model]);
    const totals = sumTotals([groups.get(key) ?? NOTHING_UNPROXIED, rest]);
    groups.set(key, { source, assistant: source, tokenId, provider, model: name, totals });
  }
  return [...groups.values()];
}

function recordUses({ records }: MemorySessions, workspaceId: string, range: Period): AssistantUse[] {
  return records
    .filter((one) => one.workspaceId === workspaceId)
    .map(({ source, tokenId, record, rest }): AssistantUse => {
      const at = Date.parse(record.timestamp);
      const { provider, name: model } = readSourceModel(source, record.model);
      return {
        source,
        assistant: source,
        tokenId,
        provider,
        model,
        firstAt: at,
        lastAt: at,
        hour: floor(at, HOUR_MS),
        session: record.sessionId,
        project: record.projectId,
        totals: rest.totals,
      };
    })
    .filter(({ hour }) => isIn(range, hour));
}

function isUnpriced({ unpricedCalls, unpricedUses }: UsageTotals): boolean {
  return unpricedCalls + unpricedUses > 0;
}

function pruneUse({ uses, records }: MemorySessions, workspaceId: string, before: number, limit: number): number {
  const known = new Set(records.map((one) => keyOf(one.workspaceId, one.record.sessionId)));
  let pruned = 0;
  for (const [session, kept] of uses)
    for (const [key, use] of kept) {
      const isOurs = (JSON.parse(session) as string[])[0] === workspaceId;
      if (pruned >= limit || !isOurs || known.has(session) || use.start >= floor(before, HOUR_MS)) continue;
      kept.delete(key);
      pruned += 1;
    }
  return pruned;
}
