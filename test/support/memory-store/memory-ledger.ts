import type { UsageTotals } from '../../../src/domain/usage/usage-totals.ts';
import type { Entry } from '../../../src/domain/usage/call.ts';
import type { CounterState } from '../../../src/domain/limits/limit.ts';
import { effectiveEntry } from '../../../src/storage/effective-entry.ts';
import type { Backfill } from '../../../src/storage/backfill.ts';
import { floor } from '../../../src/storage/range-segments.ts';
import { entryTotals } from '../../../src/storage/totals.ts';
import { HOUR_MS } from '../../../src/domain/time/units.ts';
import type { Period } from '../../../src/domain/time/period.ts';
import type { Adjustment } from '../../../src/storage/entry-store.ts';
import type { FilterField, RecordedEntry, SeriesFilter, ValueMatch } from '../../../src/storage/usage-queries.ts';

/** An entry as it came, in the order of arrival. */
export interface MemoryEntry {
  readonly id: number;
  readonly entry: Entry;
  readonly adjustments: Adjustment[];
  /** Its detail is gone; it is still in the sums. */
  isPruned: boolean;
}

/** All there is, in lists. Every question is answered by walking through them. */
export class MemoryLedger {
  readonly all: MemoryEntry[] = [];
  readonly marks = new Map<string, number>();
  /** By workspace: the whole hour from which on detail is kept. */
  readonly detailBegins = new Map<string, number>();
  /** By counter, window and value. */
  readonly counters = new Map<string, CounterState>();
  /** By counter. */
  readonly pasts = new Map<number, Backfill>();
  /** By counter: uncertain entries that ended before are released. */
  readonly releases = new Map<number, number>();

  /** The workspace's entries that still have their detail, oldest first. */
  detail(workspaceId: string): MemoryEntry[] {
    return this.all
      .filter(({ entry, isPruned }) => entry.workspaceId === workspaceId && !isPruned)
      .toSorted((a, b) => a.entry.startedAt - b.entry.startedAt || a.id - b.id);
  }

  /** What the entries of a range that pass the filter add to sums. Where detail may be gone, an hour counts whole. */
  sums(workspaceId: string, range: Period, filter: SeriesFilter): { entry: Entry; totals: UsageTotals }[] {
    const detailBegins = this.detailBegins.get(workspaceId) ?? 0;
    return this.all
      .filter(({ entry }) => {
        const instant = entry.startedAt < detailBegins ? floor(entry.startedAt, HOUR_MS) : entry.startedAt;
        return entry.workspaceId === workspaceId && isIn(range, instant) && passes(entry, filter);
      })
      .map((recorded) => ({ entry: recorded.entry, totals: entryTotals(effectiveEntry(recorded)) }))
      .filter(({ totals }) => totals.calls > 0);
  }
}

export function isIn({ start, end }: Period, instant: number): boolean {
  return instant >= start && instant < end;
}

export function passes(entry: Entry, filter: SeriesFilter): boolean {
  const { source, provider, model, keyId, status, tag, session, agent, run, requestClass, matches = [] } = filter;
  const { context } = entry;
  return (
    (source === undefined || entry.source === source) &&
    (provider === undefined || entry.provider === provider) &&
    (model === undefined || entry.model === model) &&
    (keyId === undefined || entry.keyId === keyId) &&
    (status === undefined || entry.status === status) &&
    (tag === undefined || tagOf(entry, tag.key) === tag.value) &&
    (session === undefined || context.session === session) &&
    (agent === undefined || context.agent === agent) &&
    (run === undefined || context.run === run) &&
    (requestClass === undefined || context.requestClass === requestClass) &&
    matches.every((match) => matchesValue(entry, match))
  );
}

function matchesValue(entry: Entry, { of, values, isNot }: ValueMatch): boolean {
  const value = typeof of === 'string' ? fieldValue(entry, of) : tagOf(entry, of.tagKey);
  return (value !== null && values.includes(value)) !== isNot;
}

function fieldValue(entry: Entry, field: FilterField): string | number | null {
  const { session, agent, run, requestClass } = entry.context;
  const { source, provider, model, keyId, status } = entry;
  return { source, provider, model, keyId, status, session, agent, run, requestClass }[field];
}

export function tagOf({ tags }: Entry, key: string): string | null {
  return Object.hasOwn(tags, key) ? (tags[key] ?? null) : null;
}

export function toRecordedEntry({ entry, adjustments }: MemoryEntry): RecordedEntry {
  return { entry, adjustments: [...adjustments] };
}
