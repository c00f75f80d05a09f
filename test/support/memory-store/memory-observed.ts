import { joinCalls, type JoinStanding } from '../../../src/domain/observed/join-calls.ts';
import {
  isSessionSent,
  type ObservedCall,
  type ObservedCost,
  observedTotals,
} from '../../../src/domain/observed/observed-call.ts';
import { priceObserved } from '../../../src/domain/observed/price-observed.ts';
import type { Period } from '../../../src/domain/time/period.ts';
import { HOUR_MS } from '../../../src/domain/time/units.ts';
import { tagRow } from './memory-usage-queries.ts';
import { isEmptySum, sumTotals } from '../../../src/domain/usage/usage-totals.ts';
import type { ObservedStore, RecordedObservation } from '../../../src/storage/observed-store.ts';
import { floor } from '../../../src/storage/range-segments.ts';
import type { AssistantUse, PricingOf, SessionPricing, SessionSum } from '../../../src/storage/session-store.ts';
import { callUses, type SessionUse } from '../../../src/storage/session-use.ts';
import { isIn, type MemoryLedger } from './memory-ledger.ts';

interface KeptObservation extends ObservedCost {
  readonly workspaceId: string;
  readonly call: ObservedCall;
  readonly recordedAt: number;
}

/** Observed calls in the order of arrival. Which of them count is decided anew for each question. */
export class MemoryObserved {
  kept: KeptObservation[] = [];
  readonly #ledger: MemoryLedger;

  constructor(ledger: MemoryLedger) {
    this.#ledger = ledger;
  }

  of(workspaceId: string): KeptObservation[] {
    return this.kept.filter((one) => one.workspaceId === workspaceId);
  }

  standings(workspaceId: string): Map<string, JoinStanding> {
    return joinCalls(
      this.of(workspaceId).map(({ call }) => call),
      this.#ledger.all.map(({ entry }) => entry).filter((entry) => entry.workspaceId === workspaceId),
    );
  }

  counted(workspaceId: string): KeptObservation[] {
    const standings = this.standings(workspaceId);
    return this.of(workspaceId).filter(({ call }) => standings.get(call.observationId)?.state === 'counted');
  }

  /** A call that counts, or that names the session of a gateway call which has none itself. */
  sessionUses(workspaceId: string, session: string): SessionUse[] {
    const standings = this.standings(workspaceId);
    return this.of(workspaceId).flatMap(({ call }) =>
      call.session === session && call.usage && isOfSession(call, standings.get(call.observationId))
        ? callUses({ ...call, usage: call.usage, requestedModel: null })
        : [],
    );
  }

  sums(workspaceId: string, range: Period): SessionSum[] {
    const counted = this.counted(workspaceId).filter(({ call }) => isIn(range, floor(call.startedAt, HOUR_MS)));
    const groups = Map.groupBy(counted, ({ call }) =>
      JSON.stringify([call.source, call.assistant, call.tokenId, call.provider, call.model]),
    );
    return [...groups.values()].flatMap((group) => {
      const totals = sumTotals(group.map((one) => ({ totals: observedTotals(one.call, one) })));
      const [first] = group;
      if (!first || isEmptySum(totals)) return [];
      const { source, assistant, tokenId, provider, model } = first.call;
      return [{ source, assistant, tokenId, provider, model, totals }];
    });
  }
}

function isOfSession({ assistant }: ObservedCall, standing: JoinStanding | undefined): boolean {
  if (standing?.state !== 'joined') return standing?.state === 'counted';
  return standing.by === 'usage' && assistant !== null && !isSessionSent(assistant);
}

/** The same by hour and session. */
export function observedUses(observed: MemoryObserved, workspaceId: string, range: Period): AssistantUse[] {
  const counted = observed.counted(workspaceId).filter(({ call }) => isIn(range, floor(call.startedAt, HOUR_MS)));
  const groups = Map.groupBy(counted, ({ call }) =>
    JSON.stringify([
      floor(call.startedAt, HOUR_MS),
      call.source,
      call.assistant,
      call.session,
      call.tokenId,
      call.provider,
      call.model,
    ]),
  );
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first || first.call.assistant === null) return [];
    const { source, assistant, tokenId, provider, model, session } = first.call;
    return [
      {
        source,
        assistant,
        tokenId,
        provider,
        model,
        session,
        project: null,
        hour: floor(first.call.startedAt, HOUR_MS),
        firstAt: Math.min(...group.map(({ call }) => call.startedAt)),
        lastAt: Math.max(...group.map(({ call }) => call.endedAt)),
        totals: sumTotals(group.map((one) => ({ totals: observedTotals(one.call, one) }))),
      },
    ];
  });
}

export function memoryObserved(observed: MemoryObserved, mark: (workspaceId: string) => void): ObservedStore {
  return {
    async observe({ workspaceId, calls, at }, pricingOf) {
      const known = new Set(observed.of(workspaceId).map(({ call }) => call.observationId));
      const added = new Map(
        calls.filter((call) => !known.has(call.observationId)).map((one) => [one.observationId, one]),
      );
      for (const call of added.values()) observed.kept.push(toKept(workspaceId, call, at, pricingOf(workspaceId)));
      mark(workspaceId);
      return { stored: added.size, known: calls.length - added.size };
    },
    joinMarked: async (pricingOf) => {
      observed.kept = observed.kept.map((one) => repriced(one, pricingOf));
      return 0;
    },
    markUnpriced: async () => undefined,
    async page(workspaceId, { range, possibleDuplicates = false, limit }) {
      const rows = recorded(observed, workspaceId)
        .filter((row) => isIn(range, row.call.startedAt))
        .filter((row) => !possibleDuplicates || row.possibleDuplicates.length > 0)
        .toReversed()
        .toSorted((a, b) => b.call.startedAt - a.call.startedAt);
      return { rows: rows.slice(0, limit), next: null };
    },
    ofCalls: async (workspaceId, callIds) =>
      recorded(observed, workspaceId).filter(({ figuresOf }) => figuresOf !== null && callIds.includes(figuresOf)),
    async countedSums(workspaceId, range, tag) {
      const counted = observed.counted(workspaceId).filter(({ call }) => isIn(range, call.startedAt));
      const valued = counted.flatMap((one) => {
        const value = tag === null ? '' : one.call.tags[tag.key];
        return value === undefined || (tag?.value ?? value) !== value ? [] : [{ value, one }];
      });
      const groups = Map.groupBy(valued, ({ value, one: { call } }) =>
        JSON.stringify([value, call.provider, call.model]),
      );
      return [...groups.values()].flatMap(([first, ...others]) => {
        if (!first) return [];
        const { provider, model } = first.one.call;
        const own = [first, ...others].map(({ one }) => ({ totals: observedTotals(one.call, one) }));
        return [{ value: first.value, provider, model, totals: sumTotals(own) }];
      });
    },
    async byTag(workspaceId, tagKey, range) {
      const counted = observed.counted(workspaceId).filter(({ call }) => isIn(range, call.startedAt));
      const tagged = counted.filter(({ call }) => Object.hasOwn(call.tags, tagKey));
      const groups = Map.groupBy(tagged, ({ call }) => call.tags[tagKey] ?? '');
      return [...groups].map(([value, group]) => {
        const totals = sumTotals(group.map((one) => ({ totals: observedTotals(one.call, one) })));
        return tagRow(value, totals);
      });
    },
    async prune(workspaceId, before, limit) {
      const old = observed.of(workspaceId).filter(({ call }) => call.startedAt < before);
      const pruned = new Set(old.slice(0, limit));
      observed.kept = observed.kept.filter((one) => !pruned.has(one));
      return pruned.size;
    },
  };
}

function toKept(workspaceId: string, call: ObservedCall, recordedAt: number, pricing: SessionPricing): KeptObservation {
  const { usage, ...cost } = priceObserved(call, (model) => pricing.resolve(call.provider, model, call.startedAt));
  return { workspaceId, call: { ...call, usage }, recordedAt, ...cost };
}

function repriced(one: KeptObservation, pricingOf: PricingOf): KeptObservation {
  return one.cost === null ? toKept(one.workspaceId, one.call, one.recordedAt, pricingOf(one.workspaceId)) : one;
}

function recorded(observed: MemoryObserved, workspaceId: string): RecordedObservation[] {
  const standings = observed.standings(workspaceId);
  return observed.of(workspaceId).map((one) => toRecorded(one, standings.get(one.call.observationId)));
}

function toRecorded(one: KeptObservation, standing: JoinStanding | undefined): RecordedObservation {
  const plain = { ...one, figuresOf: null, joinedBy: null, possibleDuplicates: [], adjustments: [] };
  if (standing?.state === 'joined')
    return { ...plain, state: 'joined', figuresOf: standing.callId, joinedBy: standing.by };
  if (standing?.state === 'repeated') return { ...plain, state: 'repeated', figuresOf: standing.observationId };
  return { ...plain, state: 'counted', possibleDuplicates: standing?.possibleDuplicates ?? [] };
}
