import { type RollupColumn, ROLLUPS, type RollupShape } from './rollups.ts';
import type { FilterField, SeriesFilter } from '../usage-queries.ts';

/** Columns by which sums can be grouped. */
export type GroupColumn = Exclude<RollupColumn, 'tag_key'> | ContextColumn | 'operation' | 'hour';

/** Columns of the call's context. They hold text, and no roll-up has them. */
const CONTEXT_COLUMNS = ['session', 'session_hash', 'agent', 'parent_agent', 'run', 'request_class'] as const;
type ContextColumn = (typeof CONTEXT_COLUMNS)[number];

export function isContextColumn(column: string): column is ContextColumn {
  return CONTEXT_COLUMNS.some((each) => each === column);
}

/** The wanted sums, without the time range. */
export interface SumQuery {
  readonly by: readonly GroupColumn[];
  /** The tag, if `by` has `tag_value`; else null. */
  readonly tagKey: string | null;
  readonly filter: SeriesFilter;
  /** Read the time of the first and last call of each group too; only from entries. Absent = no. */
  readonly times?: boolean;
  /** Sum only calls of assistant sessions. Absent = all. */
  readonly ofAssistants?: boolean;
}

/** Returns the filter's conditions on plain columns. */
export function filterConditions({
  source,
  provider,
  model,
  keyId,
  status,
  session,
  agent,
  run,
  requestClass,
}: SeriesFilter): [GroupColumn, string | number][] {
  const all = { source, provider, model, key: keyId, status, session, agent, run, request_class: requestClass };
  return (Object.entries(all) as [GroupColumn, string | number | undefined][]).filter(
    (pair): pair is [GroupColumn, string | number] => pair[1] !== undefined,
  );
}

/** Returns the columns that a filter needs. */
export function filterColumns(filter: SeriesFilter): readonly GroupColumn[] {
  return [...filterConditions(filter).map(([column]) => column), ...columnMatches(filter).map(({ column }) => column)];
}

const FIELD_COLUMNS: Readonly<Record<FilterField, GroupColumn>> = {
  source: 'source',
  provider: 'provider',
  model: 'model',
  keyId: 'key',
  status: 'status',
  session: 'session',
  agent: 'agent',
  run: 'run',
  requestClass: 'request_class',
};

/** Condition that a column has one of some values, or none of them. */
export interface ColumnMatch {
  readonly column: GroupColumn;
  /** Key of the tag if the column is `tag_value`; else null. */
  readonly tagKey: string | null;
  readonly values: readonly (string | number)[];
  readonly isNot: boolean;
}

/** Returns the conditions of a filter with several values, or on values that are left out. */
export function columnMatches({ matches = [] }: SeriesFilter): readonly ColumnMatch[] {
  return matches.map(({ of, values, isNot }) =>
    typeof of === 'string'
      ? { column: FIELD_COLUMNS[of], tagKey: null, values, isNot }
      : { column: 'tag_value', tagKey: of.tagKey, values, isNot },
  );
}

/** SQL: a value is one of a list, or none of them. Usage without a value is none of them. */
export function matchSql(value: string, list: readonly string[], isNot: boolean): string {
  const isOne = `${value} IN (${list.join(', ')})`;
  return isNot ? `(${value} IS NULL OR NOT ${isOne})` : isOne;
}

/** Returns the only tag key of the query; null = none; undefined = no roll-up can answer it. */
export function singleTagKey({ tagKey, filter }: SumQuery): string | null | undefined {
  const matched = columnMatches(filter).filter(({ column }) => column === 'tag_value');
  // The roll-up of tags has no rows of untagged calls, which a left out value does not leave out.
  if (matched.some(({ isNot }) => isNot)) return undefined;
  const keys = new Set([tagKey, filter.tag?.key ?? null, ...matched.map((match) => match.tagKey)]);
  keys.delete(null);
  const [only = null] = keys;
  return keys.size > 1 ? undefined : only;
}

/** Returns the narrowest roll-up that has all columns of the query; null = only entries have them. */
export function chooseRollup(query: SumQuery): RollupShape | null {
  const tagKey = singleTagKey(query);
  if (tagKey === undefined || query.times) return null;
  const wanted: readonly string[] = [...query.by, ...filterColumns(query.filter)];
  const holds = ({ name, columns }: RollupShape): boolean =>
    (name === 'tag') === (tagKey !== null) && wanted.every((column) => columns.some((each) => each === column));
  return ROLLUPS.find(holds) ?? null;
}
