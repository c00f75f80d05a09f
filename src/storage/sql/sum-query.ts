import { type RollupColumn, ROLLUPS, type RollupShape } from './rollups.ts';
import type { SeriesFilter } from '../usage-queries.ts';

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

/** Returns the only tag key of the query; null = none; undefined = two, and no roll-up has both. */
export function singleTagKey({ tagKey, filter }: SumQuery): string | null | undefined {
  const filterKey = filter.tag?.key ?? null;
  if (tagKey === null || filterKey === null || tagKey === filterKey) return tagKey ?? filterKey;
  return undefined;
}

/** Returns the narrowest roll-up that has all columns of the query; null = only entries have them. */
export function chooseRollup(query: SumQuery): RollupShape | null {
  const tagKey = singleTagKey(query);
  if (tagKey === undefined || query.times) return null;
  const wanted: readonly string[] = [...query.by, ...filterConditions(query.filter).map(([column]) => column)];
  const holds = ({ name, columns }: RollupShape): boolean =>
    (name === 'tag') === (tagKey !== null) && wanted.every((column) => columns.some((each) => each === column));
  return ROLLUPS.find(holds) ?? null;
}
