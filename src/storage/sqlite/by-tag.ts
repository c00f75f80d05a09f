import type { TimeRange, TagRow } from '../store.ts';
import { addUnder } from '../totals.ts';
import type { MutableTotals } from '../totals.ts';
import type { EntryReader, QuerySteps } from './reading.ts';
import { sumRange } from './sum-range.ts';

export function* sumByTag(
  reading: EntryReader,
  workspaceId: string,
  tagKey: string,
  range: TimeRange,
): QuerySteps<TagRow[]> {
  const sums = new Map<string, MutableTotals>();
  const question = { by: ['tag_value'], tagKey, filter: {} } as const;
  yield* sumRange(reading, workspaceId, question, range, ({ values, totals }) => {
    const [value] = values;
    if (typeof value === 'string') addUnder(sums, value, totals);
  });
  return [...sums].map(([value, { calls, cost, unpricedCalls }]) => ({ value, calls, cost, unpricedCalls }));
}
