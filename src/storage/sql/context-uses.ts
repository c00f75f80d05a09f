import { emptySum, addTotals, type MutableTotals } from '../../domain/usage/usage-totals.ts';
import type { ContextPart, ContextQuery, ContextUse, NewestUses, NewestUsesQuery } from '../usage-queries.ts';
import type { EntryReader } from './entry-reader.ts';
import type { SumGroup } from './entry-table.ts';
import type { SqlSteps } from './steps.ts';
import { requireFewEntries, requireFewValues } from './series.ts';
import type { GroupColumn, SumQuery } from './sum-query.ts';
import { sumRange } from './sum-range.ts';

const COLUMNS: Readonly<Record<ContextPart, GroupColumn>> = {
  session: 'session',
  agent: 'agent',
  parentAgent: 'parent_agent',
  run: 'run',
  model: 'model',
  requestClass: 'request_class',
  keyId: 'key',
};

type MutableUse = { -readonly [Name in keyof ContextUse]: ContextUse[Name] } & { totals: MutableTotals };

/** Sums entries by context, from entries alone. */
export function* readContextUses(
  reader: EntryReader,
  workspaceId: string,
  query: ContextQuery,
): SqlSteps<ContextUse[]> {
  const { by, range, filter, entriesMax = Infinity, valuesMax = Infinity } = query;
  const sumQuery: SumQuery = { by: by.map((part) => COLUMNS[part]), tagKey: null, filter, times: true };
  yield* requireFewEntries(reader, workspaceId, sumQuery, range, entriesMax);
  const uses = new UseSums(by);
  yield* sumRange(reader, workspaceId, sumQuery, range, (group) => {
    uses.add(group);
    requireFewValues(uses.size, valuesMax);
  });
  return uses.list();
}

/** Sums the newest entries by context: whole parts of the range, newest first, until there are too many. */
export function* readNewestUses(
  reader: EntryReader,
  workspaceId: string,
  { by, range, filter, entriesMax, valuesMax }: NewestUsesQuery,
): SqlSteps<NewestUses> {
  const uses = new UseSums(by);
  const query: SumQuery = { by: by.map((part) => COLUMNS[part]), tagKey: null, filter, times: true };
  let from = range.start;
  let entriesRead = 0;
  yield* reader.entries.sumNewest(reader, workspaceId, query, range, (groups, start, entries) => {
    for (const group of groups) uses.add(group);
    from = start;
    entriesRead += entries;
    return entriesRead < entriesMax && uses.size < valuesMax;
  });
  return { uses: uses.list(), from };
}

/** Sums by context, from pieces in which a combination may occur several times. */
class UseSums {
  readonly #by: readonly ContextPart[];
  readonly #uses = new Map<string, MutableUse>();

  constructor(by: readonly ContextPart[]) {
    this.#by = by;
  }

  get size(): number {
    return this.#uses.size;
  }

  add({ values, totals, times }: SumGroup): void {
    if (!times) return;
    const name = JSON.stringify(values);
    let use = this.#uses.get(name);
    if (!use) {
      use = { ...NO_PARTS, firstAt: times.start, lastAt: times.end, totals: emptySum() };
      for (const [index, part] of this.#by.entries()) use[part] = values[index] ?? null;
      this.#uses.set(name, use);
    }
    use.firstAt = Math.min(use.firstAt, times.start);
    use.lastAt = Math.max(use.lastAt, times.end);
    addTotals(use.totals, totals);
  }

  list(): ContextUse[] {
    return [...this.#uses.values()];
  }
}

const NO_PARTS = {
  session: null,
  agent: null,
  parentAgent: null,
  run: null,
  model: null,
  requestClass: null,
  keyId: null,
} as const;
