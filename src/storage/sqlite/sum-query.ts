import { type RollupColumn, ROLLUPS, type RollupShape } from './rollups.ts';
import type { SeriesFilter } from '../usage-queries.ts';

/** What a sum can be told apart by. */
export type GroupColumn = Exclude<RollupColumn, 'tag_key'>;

/** Which sums are wanted, apart from the time. */
export interface SumQuery {
  readonly by: readonly GroupColumn[];
  /** Which tag, when `by` has `tag_value`; else null. */
  readonly tagKey: string | null;
  readonly filter: SeriesFilter;
}

/** The filter's conditions on plain columns. */
export function filterConditions({
  source,
  provider,
  model,
  keyId,
  status,
}: SeriesFilter): [GroupColumn, string | number][] {
  const all = { source, provider, model, key: keyId, status };
  return (Object.entries(all) as [GroupColumn, string | number | undefined][]).filter(
    (pair): pair is [GroupColumn, string | number] => pair[1] !== undefined,
  );
}

/** The one tag key that the question is about; null = none; undefined = there are two, and no roll-up holds both. */
export function singleTagKey({ tagKey, filter }: SumQuery): string | null | undefined {
  const filterKey = filter.tag?.key ?? null;
  if (tagKey === null || filterKey === null || tagKey === filterKey) return tagKey ?? filterKey;
  return undefined;
}

/** The narrowest roll-up that holds all the question asks for; null when only entries do. */
export function chooseRollup(query: SumQuery): RollupShape | null {
  const tagKey = singleTagKey(query);
  if (tagKey === undefined) return null;
  const wanted = [...query.by, ...filterConditions(query.filter).map(([column]) => column)];
  const holds = ({ name, columns }: RollupShape): boolean =>
    (name === 'tag') === (tagKey !== null) && wanted.every((column) => columns.includes(column));
  return ROLLUPS.find(holds) ?? null;
}

/** SQL for the value of a tag in a stored tag set, null when it is not there. `key` is SQL too: a named parameter. */
export function tagValue(tags: string, key: string): string {
  return `(SELECT value FROM json_each(${tags}) WHERE key = ${key})`;
}
