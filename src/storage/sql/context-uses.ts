import { emptySum, addTotals, type MutableTotals } from '../../domain/usage/usage-totals.ts';
import type { ContextPart, ContextQuery, ContextUse } from '../usage-queries.ts';
import type { EntryReader, QuerySteps } from './entry-reader.ts';
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
): QuerySteps<ContextUse[]> {
  const { by, range, filter, entriesMax = Infinity, valuesMax = Infinity } = query;
  const sumQuery: SumQuery = { by: by.map((part) => COLUMNS[part]), tagKey: null, filter, times: true };
  requireFewEntries(reader, workspaceId, sumQuery, range, entriesMax);
  const uses = new Map<string, MutableUse>();
  yield* sumRange(reader, workspaceId, sumQuery, range, ({ values, totals, times }) => {
    if (!times) return;
    const name = JSON.stringify(values);
    let use = uses.get(name);
    if (!use) {
      use = { ...NO_PARTS, firstAt: times.start, lastAt: times.end, totals: emptySum() };
      for (const [index, part] of by.entries()) use[part] = values[index] ?? null;
      uses.set(name, use);
      requireFewValues(uses.size, valuesMax);
    }
    use.firstAt = Math.min(use.firstAt, times.start);
    use.lastAt = Math.max(use.lastAt, times.end);
    addTotals(use.totals, totals);
  });
  return [...uses.values()];
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
