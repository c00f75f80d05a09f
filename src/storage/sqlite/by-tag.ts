import type { Range, TagRow } from '../store.ts';
import { addUnder } from '../totals.ts';
import type { Sum } from '../totals.ts';
import type { EntryReading, Steps } from './reading.ts';
import { sumRange } from './sum-range.ts';

export function* byTag(reading: EntryReading, workspaceId: string, tagKey: string, range: Range): Steps<TagRow[]> {
  const sums = new Map<string, Sum>();
  const question = { by: ['tag_value'], tagKey, filter: {} } as const;
  yield* sumRange(reading, workspaceId, question, range, ({ values, totals }) => {
    const [value] = values;
    if (typeof value === 'string') addUnder(sums, value, totals);
  });
  return [...sums].map(([value, { calls, cost, unpricedCalls }]) => ({ value, calls, cost, unpricedCalls }));
}
