import { emptySum, addTotals, addUnder, isEmptySum, type MutableTotals } from '../../domain/usage/usage-totals.ts';
import { chooseRollup, filterConditions, type GroupColumn, type SumQuery } from './sum-query.ts';
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
  const parts = buckets.map((start, index) => ({ start, end: buckets[index + 1] ?? range.end }));
  const sums = yield* sumBuckets(reader, workspaceId, sumQuery, parts, valuesMax);
  return sums.flatMap((bucketSums, index) =>
    [...bucketSums].map(([value, totals]) => ({ bucket: buckets[index] ?? range.start, value, totals })),
  );
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

type ValueSums = Map<string | null, MutableTotals>;

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
    addUnder(ofPart, values[0] ?? null, totals);
    requireFewValues(ofPart.size, valuesMax);
  });
  const knowsUntagged = sumQuery.tagKey === null || sumQuery.filter.tag || chooseRollup(sumQuery) === null;
  if (!knowsUntagged) yield* setUntagged(reader, workspaceId, sumQuery, parts, sums);
  return sums;
}

/** Adds the untagged calls. The roll-up of a tag has no row for them: they are all calls minus the tagged ones. */
function* setUntagged(
  reader: EntryReader,
  workspaceId: string,
  sumQuery: SumQuery,
  parts: readonly Period[],
  sums: readonly ValueSums[],
): SqlSteps<void> {
  for (const ofPart of sums) ofPart.delete(null);
  const untagged = sums.map(() => emptySum());
  const all = { ...sumQuery, by: [], tagKey: null };
  yield* sumParts(reader, workspaceId, all, parts, (part, { totals }) => {
    const ofPart = untagged[part];
    if (ofPart) addTotals(ofPart, totals);
  });
  for (const [part, ofPart] of sums.entries()) {
    const rest = untagged[part];
    if (!rest) continue;
    for (const tagged of ofPart.values()) addTotals(rest, tagged, -1);
    if (!isEmptySum(rest)) ofPart.set(null, rest);
  }
}
