import { emptySum, addTotals, isEmptySum, type MutableTotals } from '../../domain/usage/usage-totals.ts';
import { ASSISTANTS, OBSERVED_SOURCES, observedTotals } from '../../domain/observed/observed-call.ts';
import type { Period } from '../../domain/time/period.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';
import { floor, splitRange } from '../range-segments.ts';
import { storedWord } from '../records/stored-word.ts';
import type { CountedSum, CountedTag } from '../observed-store.ts';
import type { SessionSum } from '../session-store.ts';
import { OBSERVED_MEASURES } from '../totals.ts';
import type { SqlContext } from './entry-table.ts';
import type { IdOf } from './name-table.ts';
import type { ObservedRow } from './observed-rows.ts';
import { perDialect } from './dialect.ts';
import { type ResultRow, text } from './result-row.ts';
import type { TagRow } from '../usage-queries.ts';
import { ObservedTagSums } from './observed-tags.ts';
import { addColumns, askSums, insertRows, type RowInsert, type SqlSteps } from './steps.ts';
import { listMeasures, readTotals } from './totals-row.ts';

const MEASURES = Object.values(OBSERVED_MEASURES);
const PARTS = ['source', 'assistant', 'token', 'provider', 'model'];
const KEY = ['workspace', 'start', ...PARTS];
const GRAINS = [
  { ms: HOUR_MS, add: upsertObserved('observed_hour') },
  { ms: DAY_MS, add: upsertObserved('observed_day') },
] as const;
const SELECTS = { hour: selectObserved('observed_hour'), day: selectObserved('observed_day') };

function upsertObserved(table: string): RowInsert {
  const onConflict = `ON CONFLICT (${KEY.join(', ')}) DO UPDATE SET ${addColumns(table, MEASURES)}`;
  return { table, columns: [...KEY, ...MEASURES], keyColumns: KEY.length, onConflict, returning: [] };
}

function selectObserved(table: string): string {
  const parts = PARTS.join(', ');
  return `SELECT ${parts}, ${MEASURES.map((one) => `sum(${one}) AS ${one}`).join(', ')} FROM ${table}
    WHERE workspace = ? AND start >= ? AND start < ? GROUP BY ${parts}`;
}

interface MovedSum {
  readonly key: readonly number[];
  readonly totals: MutableTotals;
}

/** Collects changes of the sums of observed calls, so that each row is written once. */
export class ObservedSums {
  readonly #moved = GRAINS.map(({ ms, add }) => ({ ms, add, sums: new Map<string, MovedSum>() }));
  readonly #tagged = new ObservedTagSums();

  add(row: ObservedRow, idOf: IdOf, sign: 1 | -1): void {
    const { workspace, call } = row;
    this.#tagged.add(row, idOf, sign);
    const totals = observedTotals(call, row);
    const parts = [call.source, call.assistant, call.tokenId, call.provider, call.model].map(idOf);
    for (const { ms, sums } of this.#moved) {
      const key = [workspace, floor(call.startedAt, ms), ...parts];
      const name = key.join(' ');
      let moved = sums.get(name);
      if (!moved) sums.set(name, (moved = { key, totals: emptySum() }));
      addTotals(moved.totals, totals, sign);
    }
  }

  *write(): SqlSteps<void> {
    for (const { add, sums } of this.#moved) {
      const changed = [...sums.values()].filter(({ totals }) => !isEmptySum(totals));
      yield* insertRows(
        add,
        Array.from(changed, ({ key, totals }) => [...key, ...listMeasures(totals, OBSERVED_MEASURES)]),
      );
    }
    yield* this.#tagged.write();
  }
}

const COSTS_OF_CALLS = `count(*) AS calls, sum(coalesce(cost, 0)) AS cost,
  sum(CASE WHEN cost IS NULL THEN 1 ELSE 0 END) AS unpriced_calls,
  sum(CASE WHEN uncertain_up_to > 0 THEN 1 ELSE 0 END) AS uncertain_calls, sum(uncertain_up_to) AS uncertain_up_to`;
const TOKENS_OF_CALLS = `sum(input_tokens) AS input_tokens, sum(cache_read_tokens) AS cache_read_tokens,
  sum(cache_write_tokens) AS cache_write_tokens, sum(output_tokens) AS output_tokens`;

const BY_TAG = perDialect(
  (dialect) => `SELECT value, ${COSTS_OF_CALLS} FROM (
    SELECT ${dialect.tagValue('tags', ':key')} AS value, cost, uncertain_up_to FROM observed_calls
    WHERE workspace = :workspace AND started_at >= :start AND started_at < :end AND tags IS NOT NULL AND state = :counted
  ) AS tagged WHERE value IS NOT NULL GROUP BY value`,
);
const TAG_MEASURES = {
  calls: 'calls',
  cost: 'cost',
  unpricedCalls: 'unpriced_calls',
  uncertainCalls: 'uncertain_calls',
  uncertainUpTo: 'uncertain_up_to',
} as const;

export function* sumObservedByTag(
  { names, dialect }: SqlContext,
  workspaceId: string,
  tagKey: string,
  { start, end }: Period,
): SqlSteps<TagRow[]> {
  const [workspace, counted] = [yield* names.find(workspaceId), yield* names.find('counted')];
  if (workspace === undefined || counted === undefined) return [];
  const rows = yield askSums(BY_TAG(dialect), { workspace, counted, start, end, key: tagKey });
  return rows.map((row) => {
    const { calls, cost, unpricedCalls, uncertainCalls, uncertainUpTo } = readTotals(row, TAG_MEASURES);
    const equal = { listBeyondCost: 0n, contractedBeyondCost: 0n };
    const sums = { value: text(row, 'value'), calls, cost, unpricedCalls, uncertainCalls, uncertainUpTo };
    return Object.assign(sums, equal);
  });
}

const COUNTED_CALLS = 'workspace = :workspace AND started_at >= :start AND started_at < :end AND state = :counted';
const IS_DUE = 'id IN (SELECT observed FROM observed_due WHERE workspace = :workspace)';
const ROLLED_UP = 'workspace = :workspace AND start >= :start AND start < :end';
const SUMS_OF_CALLS = `provider, model, ${COSTS_OF_CALLS}, ${TOKENS_OF_CALLS} FROM observed_calls`;
const SUMS_OF_ROLLUPS = `provider, model, ${MEASURES.map((one) => `sum(${one}) AS ${one}`).join(', ')}`;

/** Queries of counted sums, by where a part of the range is read from. */
type CountedTexts = Readonly<Record<'hour' | 'day' | 'detail' | 'due', string>>;

const COUNTED_SUMS: CountedTexts = {
  hour: `SELECT '' AS value, ${SUMS_OF_ROLLUPS} FROM observed_hour WHERE ${ROLLED_UP} GROUP BY provider, model`,
  day: `SELECT '' AS value, ${SUMS_OF_ROLLUPS} FROM observed_day WHERE ${ROLLED_UP} GROUP BY provider, model`,
  detail: `SELECT '' AS value, ${SUMS_OF_CALLS} WHERE ${COUNTED_CALLS} AND NOT ${IS_DUE} GROUP BY provider, model`,
  due: `SELECT '' AS value, ${SUMS_OF_CALLS} WHERE ${COUNTED_CALLS} AND ${IS_DUE} GROUP BY provider, model`,
};
const COUNTED_BY_VALUE = perDialect(({ tagValue }): CountedTexts => {
  const value = tagValue('tags', ':key');
  const ofCalls = (condition: string): string => `SELECT * FROM (SELECT ${value} AS value, ${SUMS_OF_CALLS}
    WHERE ${COUNTED_CALLS} AND tags IS NOT NULL AND ${condition} GROUP BY 1, 2, 3) AS tagged WHERE value = :value`;
  const ofRollups = (table: string): string => `SELECT tag_value AS value, ${SUMS_OF_ROLLUPS} FROM ${table}
    WHERE ${ROLLED_UP} AND tag_key = :key AND tag_value = :value GROUP BY tag_value, provider, model`;
  return countedTexts(ofCalls, ofRollups);
});
/** Values with the highest cost, so that an endless range has a bounded result. */
const HIGHEST = 'ORDER BY sum(cost) DESC, sum(input_tokens + output_tokens) DESC LIMIT :max';
const COUNTED_BY_EACH = perDialect(({ tagValue }): CountedTexts => {
  const value = tagValue('tags', ':key');
  const ofCalls = (condition: string): string => {
    const calls = `${COUNTED_CALLS} AND tags IS NOT NULL AND ${condition} AND ${value} IS NOT NULL`;
    return `SELECT ${value} AS value, ${SUMS_OF_CALLS} WHERE ${calls} AND ${value} IN (
      SELECT ${value} FROM observed_calls WHERE ${calls} GROUP BY 1 ${HIGHEST}) GROUP BY 1, 2, 3`;
  };
  const ofRollups = (table: string): string => `SELECT tag_value AS value, ${SUMS_OF_ROLLUPS} FROM ${table}
    WHERE ${ROLLED_UP} AND tag_key = :key AND tag_value IN (
      SELECT tag_value FROM ${table} WHERE ${ROLLED_UP} AND tag_key = :key GROUP BY tag_value ${HIGHEST})
    GROUP BY tag_value, provider, model`;
  return countedTexts(ofCalls, ofRollups);
});

function countedTexts(ofCalls: (condition: string) => string, ofRollups: (table: string) => string): CountedTexts {
  return {
    hour: ofRollups('observed_tag_hour'),
    day: ofRollups('observed_tag_day'),
    detail: ofCalls(`NOT ${IS_DUE}`),
    due: ofCalls(IS_DUE),
  };
}

/** Returns the queries for a tag, and the values that they take apart from a range. */
function countedQueries({ dialect }: SqlContext, tag: CountedTag | null) {
  if (tag === null) return { texts: COUNTED_SUMS, given: {} };
  const { key, value, valuesMax: max } = tag;
  if (value === null) return { texts: COUNTED_BY_EACH(dialect), given: { key, max } };
  return { texts: COUNTED_BY_VALUE(dialect), given: { key, value } };
}

/** See `ObservedStore.countedSums`. */
export function* readCountedSums(
  context: SqlContext,
  workspaceId: string,
  range: Period,
  tag: CountedTag | null,
): SqlSteps<CountedSum[]> {
  const { names } = context;
  const [workspace, counted] = [yield* names.find(workspaceId), yield* names.find('counted')];
  if (workspace === undefined || counted === undefined) return [];
  const sums = new Map<string, { readonly row: ResultRow; readonly totals: MutableTotals }>();
  const add = (rows: readonly ResultRow[], sign: 1 | -1): void => {
    for (const row of rows) {
      const key = ['provider', 'model', 'value'].map((part) => row[part]).join(' ');
      let sum = sums.get(key);
      if (!sum) sums.set(key, (sum = { row, totals: emptySum() }));
      addTotals(sum.totals, readTotals(row, OBSERVED_MEASURES), sign);
    }
  };
  const { texts, given } = countedQueries(context, tag);
  for (const { from, start, end } of splitRange(range, -Infinity)) {
    const places = { ...given, workspace, start, end };
    // Before the roll-ups: a call that is joined between the two questions is missing for once, and never counted twice.
    if (from !== 'detail') add(yield askSums(texts.due, { ...places, counted }), -1);
    add(yield askSums(texts[from], from === 'detail' ? { ...places, counted } : places), 1);
  }
  const found = [...sums.values()].filter(({ totals }) => !isEmptySum(totals));
  const textOf = yield* names.texts(found.flatMap(({ row }) => [row['provider'], row['model']]));
  return found.map(({ row, totals }) => ({
    value: text(row, 'value'),
    provider: textOf(row['provider']) ?? '',
    model: textOf(row['model']) ?? '',
    totals,
  }));
}

/** Returns sums by source, assistant, token, provider and model. An hour counts as a whole, at its start. */
export function* readObservedSums({ names }: SqlContext, workspaceId: string, range: Period): SqlSteps<SessionSum[]> {
  const workspace = yield* names.find(workspaceId);
  if (workspace === undefined) return [];
  const groups = new Map<string, { readonly row: ResultRow; readonly totals: MutableTotals }>();
  for (const { from, start, end } of splitRange(range, Infinity))
    for (const row of yield askSums(from === 'day' ? SELECTS.day : SELECTS.hour, [workspace, start, end])) {
      const key = PARTS.map((part) => row[part]).join(' ');
      let group = groups.get(key);
      if (!group) groups.set(key, (group = { row, totals: emptySum() }));
      addTotals(group.totals, readTotals(row, OBSERVED_MEASURES));
    }
  const found = [...groups.values()].filter(({ totals }) => !isEmptySum(totals));
  const textOf = yield* names.texts(found.flatMap(({ row }) => PARTS.map((part) => row[part])));
  return found.map(({ row, totals }) => {
    const assistant = textOf(row['assistant']);
    return {
      source: storedWord(OBSERVED_SOURCES, textOf(row['source']) ?? ''),
      assistant: assistant === null ? null : storedWord(ASSISTANTS, assistant),
      tokenId: textOf(row['token']) ?? '',
      provider: textOf(row['provider']) ?? '',
      model: textOf(row['model']) ?? '',
      totals,
    };
  });
}
