import type { Dimension, Range, SeriesQuery, SeriesRow } from '../store.ts';
import { addTotals, addUnder, emptySum, isEmptySum } from '../totals.ts';
import type { Sum } from '../totals.ts';
import { chooseRollup } from './question.ts';
import type { GroupColumn, Question } from './question.ts';
import type { EntryReading, Steps } from './reading.ts';
import { sumRange } from './sum-range.ts';
import { refuseTooMany } from './too-many.ts';

const COLUMNS: Readonly<Record<Dimension, GroupColumn>> = {
  source: 'source',
  provider: 'provider',
  model: 'model',
  key: 'key',
  status: 'status',
  tag: 'tag_value',
};

/** The rows of every bucket; a bucket without calls has none. Throws `impossible` above `query.entriesMax`. */
export function* series(reading: EntryReading, workspaceId: string, query: SeriesQuery): Steps<SeriesRow[]> {
  const { by, buckets, range, filter, entriesMax = Infinity } = query;
  const tagKey = by === 'tag' ? (query.tagKey ?? '') : null;
  const question = { by: by === null ? [] : [COLUMNS[by]], tagKey, filter };
  if (chooseRollup(question) === null) refuseTooMany(reading, workspaceId, question, range, entriesMax);
  const rows: SeriesRow[] = [];
  for (const [index, bucket] of buckets.entries()) {
    const part = { start: bucket, end: buckets[index + 1] ?? range.end };
    const sums = yield* sumBucket(reading, workspaceId, question, part);
    for (const [value, totals] of sums) rows.push({ bucket, value, totals });
  }
  return rows;
}

function* sumBucket(
  reading: EntryReading,
  workspaceId: string,
  question: Question,
  range: Range,
): Steps<Map<string | null, Sum>> {
  const sums = new Map<string | null, Sum>();
  yield* sumRange(reading, workspaceId, question, range, ({ values, totals }) =>
    addUnder(sums, values[0] ?? null, totals),
  );
  const knowsUntagged = question.tagKey === null || question.filter.tag || chooseRollup(question) === null;
  if (!knowsUntagged) yield* setUntagged(reading, workspaceId, question, range, sums);
  return sums;
}

/** The roll-up of a tag has no row for calls without it: they are all calls less those that carry it. */
function* setUntagged(
  reading: EntryReading,
  workspaceId: string,
  question: Question,
  range: Range,
  sums: Map<string | null, Sum>,
): Steps<void> {
  sums.delete(null);
  const untagged = emptySum();
  const all = { ...question, by: [], tagKey: null };
  yield* sumRange(reading, workspaceId, all, range, ({ totals }) => addTotals(untagged, totals));
  for (const tagged of sums.values()) addTotals(untagged, tagged, -1);
  if (!isEmptySum(untagged)) sums.set(null, untagged);
}
