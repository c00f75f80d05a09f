import { emptySum, addTotals, isEmptySum, type MutableTotals } from '../../domain/usage/usage-totals.ts';
import { chooseRollup, columnMatches, filterColumns, type GroupColumn, type SumQuery } from './sum-query.ts';
import type { EntryReader } from './entry-reader.ts';
import type { SqlContext } from './entry-table.ts';
import type { SqlSteps } from './steps.ts';
import { sumParts } from './sum-range.ts';
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
  const keys = [tagKey, filter.tag?.key, ...columnMatches(filter).map((match) => match.tagKey)];
  const tags = keys.flatMap((key) => (key === null || key === undefined ? [] : `tag ${key}`));
  const columns = [...by, ...filterColumns(filter)].filter((column) => column !== 'tag_value');
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
  const { by, and, buckets, range, filter, entriesMax = Infinity, valuesMax = Infinity } = query;
  const tagKey = by === 'tag' ? (query.tagKey ?? '') : null;
  const sumQuery = { by: [by, and].flatMap((dimension) => (dimension ? [COLUMNS[dimension]] : [])), tagKey, filter };
  if (chooseRollup(sumQuery) === null) yield* requireFewEntries(reader, workspaceId, sumQuery, range, entriesMax);
  const parts = buckets.map((start, index) => ({ start, end: buckets[index + 1] ?? range.end }));
  const sums = yield* sumBuckets(reader, workspaceId, sumQuery, parts, valuesMax);
  return sums.flatMap((bucketSums, index) => {
    const bucket = buckets[index] ?? range.start;
    return [...bucketSums.values()].map(({ values: [value = null, second = null], totals }) =>
      and ? { bucket, value, and: second, totals } : { bucket, value, totals },
    );
  });
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

interface ValueSum {
  readonly values: readonly (string | null)[];
  readonly totals: MutableTotals;
}

/** Sums by values; the key is their JSON. */
type ValueSums = Map<string, ValueSum>;

function sumUnder(sums: ValueSums, values: readonly (string | null)[]): MutableTotals {
  const key = JSON.stringify(values);
  let sum = sums.get(key);
  if (!sum) sums.set(key, (sum = { values, totals: emptySum() }));
  return sum.totals;
}

function* sumBuckets(
  reader: EntryReader,
  workspaceId: string,
  sumQuery: SumQuery,
  parts: readonly Period[],
  valuesMax: number,
): SqlSteps<ValueSums[]> {
  const sums = parts.map((): ValueSums => new Map());
  yield* sumParts(reader, workspaceId, sumQuery, parts, (part, { values, totals }) => {
    const ofPart = sums[part];
    if (!ofPart) return;
    addTotals(sumUnder(ofPart, values), totals);
    requireFewValues(ofPart.size, valuesMax);
  });
  if (!knowsUntagged(sumQuery)) yield* setUntagged(reader, workspaceId, sumQuery, parts, sums);
  return sums;
}

/** Returns true if sums of this query have untagged calls, or none of them match. */
function knowsUntagged(query: SumQuery): boolean {
  const isOfTag = query.filter.tag !== undefined || columnMatches(query.filter).some(({ tagKey }) => tagKey !== null);
  return query.tagKey === null || isOfTag || chooseRollup(query) === null;
}

/** Adds the untagged calls. The roll-up of a tag has no row for them: they are all calls minus the tagged ones. */
function* setUntagged(
  reader: EntryReader,
  workspaceId: string,
  sumQuery: SumQuery,
  parts: readonly Period[],
  sums: readonly ValueSums[],
): SqlSteps<void> {
  for (const ofPart of sums) for (const [key, { values }] of ofPart) if (values[0] === null) ofPart.delete(key);
  const untagged = sums.map((): ValueSums => new Map());
  const all = { ...sumQuery, by: sumQuery.by.filter((column) => column !== 'tag_value'), tagKey: null };
  yield* sumParts(reader, workspaceId, all, parts, (part, { values, totals }) => {
    const ofPart = untagged[part];
    if (ofPart) addTotals(sumUnder(ofPart, [null, ...values]), totals);
  });
  for (const [part, ofPart] of sums.entries()) {
    const rest = untagged[part];
    if (!rest) continue;
    for (const { values, totals } of ofPart.values()) addTotals(sumUnder(rest, [null, ...values.slice(1)]), totals, -1);
    for (const [key, sum] of rest) if (!isEmptySum(sum.totals)) ofPart.set(key, sum);
  }
}
