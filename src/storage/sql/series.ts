import { emptySum, addTotals, addUnder, isEmptySum, type MutableTotals } from '../../domain/usage/usage-totals.ts';
import { chooseRollup, filterConditions, type GroupColumn, type SumQuery } from './sum-query.ts';
import type { EntryReader } from './entry-reader.ts';
import type { SqlContext } from './entry-table.ts';
import type { SqlSteps } from './steps.ts';
import { sumRange } from './sum-range.ts';
import { TollbookError } from '../../domain/errors.ts';
import type { Period } from '../../domain/time/period.ts';
import type { SeriesQuery, SeriesRow } from '../usage-queries.ts';
import type { SeriesDimension } from '../../domain/usage/call.ts';

/** Throws `unprocessable` for a range with too many entries to add up one by one. */
export function* requireFewEntries(
  context: SqlContext,
  workspaceId: string,
  sumQuery: SumQuery,
  range: Period,
  entriesMax: number,
): SqlSteps<void> {
  if (entriesMax === Infinity) return;
  const { session } = sumQuery.filter;
  if (yield* context.entries.hasMoreThan(context, workspaceId, range, entriesMax, session))
    throw tooMany(sumQuery, entriesMax);
}

function tooMany({ by, tagKey, filter }: SumQuery, entriesMax: number): TollbookError {
  const tags = [tagKey, filter.tag?.key].flatMap((key) => (key === null || key === undefined ? [] : `tag ${key}`));
  const columns = [
    ...by.filter((column) => column !== 'tag_value'),
    ...filterConditions(filter).map(([column]) => column),
  ];
  const asked = [...new Set([...tags, ...columns])].join(' with ');
  return new TollbookError(
    'unprocessable',
    `The combination of ${asked} is added up call by call, at most ${entriesMax} of them; this period has more. Take a shorter one, or ask for less together.`,
    'startDate',
  );
}

const COLUMNS: Readonly<Record<SeriesDimension, GroupColumn>> = {
  source: 'source',
  provider: 'provider',
  model: 'model',
  key: 'key',
  status: 'status',
  tag: 'tag_value',
  session: 'session',
  agent: 'agent',
  run: 'run',
  request_class: 'request_class',
};

/** Returns the rows of every bucket; empty buckets have none. Throws `unprocessable` above `query.entriesMax`. */
export function* readSeries(reader: EntryReader, workspaceId: string, query: SeriesQuery): SqlSteps<SeriesRow[]> {
  const { by, buckets, range, filter, entriesMax = Infinity, valuesMax = Infinity } = query;
  const tagKey = by === 'tag' ? (query.tagKey ?? '') : null;
  const sumQuery = { by: by === null ? [] : [COLUMNS[by]], tagKey, filter };
  if (chooseRollup(sumQuery) === null) yield* requireFewEntries(reader, workspaceId, sumQuery, range, entriesMax);
  const rows: SeriesRow[] = [];
  for (const [index, bucket] of buckets.entries()) {
    const part = { start: bucket, end: buckets[index + 1] ?? range.end };
    const sums = yield* sumBucket(reader, workspaceId, sumQuery, part, valuesMax);
    for (const [value, totals] of sums) rows.push({ bucket, value, totals });
  }
  return rows;
}

/** Throws `unprocessable` for a sum with too many different values. */
export function requireFewValues(values: number, valuesMax: number): void {
  if (values <= valuesMax) return;
  throw new TollbookError(
    'unprocessable',
    `This period has more than ${valuesMax} different values. Take a shorter one, or filter.`,
    'startDate',
  );
}

function* sumBucket(
  reader: EntryReader,
  workspaceId: string,
  sumQuery: SumQuery,
  range: Period,
  valuesMax: number,
): SqlSteps<Map<string | null, MutableTotals>> {
  const sums = new Map<string | null, MutableTotals>();
  yield* sumRange(reader, workspaceId, sumQuery, range, ({ values, totals }) => {
    addUnder(sums, values[0] ?? null, totals);
    requireFewValues(sums.size, valuesMax);
  });
  const knowsUntagged = sumQuery.tagKey === null || sumQuery.filter.tag || chooseRollup(sumQuery) === null;
  if (!knowsUntagged) yield* setUntagged(reader, workspaceId, sumQuery, range, sums);
  return sums;
}

/** Adds the untagged calls. The roll-up of a tag has no row for them: they are all calls minus the tagged ones. */
function* setUntagged(
  reader: EntryReader,
  workspaceId: string,
  sumQuery: SumQuery,
  range: Period,
  sums: Map<string | null, MutableTotals>,
): SqlSteps<void> {
  sums.delete(null);
  const untagged = emptySum();
  const all = { ...sumQuery, by: [], tagKey: null };
  yield* sumRange(reader, workspaceId, all, range, ({ totals }) => addTotals(untagged, totals));
  for (const tagged of sums.values()) addTotals(untagged, tagged, -1);
  if (!isEmptySum(untagged)) sums.set(null, untagged);
}
