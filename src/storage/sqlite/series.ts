import type { Dimension, SeriesQuery, SeriesRow } from '../store.ts';
import { addTotals, addUnder, emptySum, isEmptySum } from '../totals.ts';
import type { Sum } from '../totals.ts';
import type { Book } from './book.ts';
import { chooseRollup } from './question.ts';
import type { GroupColumn, Question } from './question.ts';
import type { Range } from '../store.ts';
import { seriesOfEntries } from './series-of-entries.ts';
import { sumRange } from './sum-range.ts';

const COLUMNS: Readonly<Record<Dimension, GroupColumn>> = {
  source: 'source',
  provider: 'provider',
  model: 'model',
  key: 'key',
  status: 'status',
  tag: 'tag_value',
};

/** The rows of every bucket; a bucket without calls has none. */
export async function series(book: Book, workspaceId: string, query: SeriesQuery): Promise<SeriesRow[]> {
  const { by, buckets, range, filter } = query;
  const tagKey = by === 'tag' ? (query.tagKey ?? '') : null;
  const question = { by: by === null ? [] : [COLUMNS[by]], tagKey, filter };
  if (chooseRollup(question) === null) return seriesOfEntries(book, workspaceId, question, query);
  return buckets.flatMap((bucket, index) => {
    const sums = sumBucket(book, workspaceId, question, { start: bucket, end: buckets[index + 1] ?? range.end });
    return [...sums].map(([value, totals]) => ({ bucket, value, totals }));
  });
}

function sumBucket(book: Book, workspaceId: string, question: Question, range: Range): Map<string | null, Sum> {
  const sums = new Map<string | null, Sum>();
  for (const { values, totals } of sumRange(book, workspaceId, question, range)) {
    addUnder(sums, values[0] ?? null, totals);
  }
  const knowsUntagged = question.tagKey === null || question.filter.tag;
  if (!knowsUntagged) setUntagged(book, workspaceId, question, range, sums);
  return sums;
}

/** The roll-up of a tag has no row for calls without it: they are all calls less those that carry it. */
function setUntagged(
  book: Book,
  workspaceId: string,
  question: Question,
  range: Range,
  sums: Map<string | null, Sum>,
): void {
  sums.delete(null);
  const untagged = emptySum();
  for (const { totals } of sumRange(book, workspaceId, { ...question, by: [], tagKey: null }, range)) {
    addTotals(untagged, totals);
  }
  for (const tagged of sums.values()) addTotals(untagged, tagged, -1);
  if (!isEmptySum(untagged)) sums.set(null, untagged);
}
