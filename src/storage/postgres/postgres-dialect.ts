import type { Dialect } from '../sql/dialect.ts';
import { RECORDS_LOCK } from './record-dialect.ts';

/** Escapes the same characters in JSON as the driver does in text (`postgres-values.ts`): `->>` fails on U+0000. */
function escapeJson(json: string): string {
  const replaced = [
    [1, 2],
    [0, 1],
  ].reduce(
    (text, [last, second]) =>
      // An escape begins after pairs of backslashes.
      String.raw`regexp_replace(${text}, '(?<!\\)((?:\\\\)*)\\u000${last}', '\1\\u0001\\u000${second}', 'g')`,
    json,
  );
  return String.raw`CASE WHEN strpos(${json}, '\u000') = 0 THEN ${json} ELSE ${replaced} END`;
}

export const POSTGRES_DIALECT: Dialect = {
  tagValue: (tags, key) => `(CAST(${escapeJson(tags)} AS json) ->> CAST(${key} AS text))`,
  ending: (text, length) => `right(${text}, ${length})`,
  exactInteger: (column) => `CAST(${column} AS text)`,
  indexedBy: () => '',
  // OFFSET keeps the planner from choosing another order.
  joinEntries: (condition) => `CROSS JOIN LATERAL (SELECT e.* FROM entries e WHERE ${condition} OFFSET 0) AS e`,
  nameNode: "SELECT set_config('tollbook.node', ?, true)",
  lockRecords: `SELECT pg_advisory_xact_lock(${RECORDS_LOCK})`,
};
