import type { Dialect } from '../sql/dialect.ts';

export const SQLITE_DIALECT: Dialect = {
  tagValue: (tags, key) => `(SELECT value FROM json_each(${tags}) WHERE key = ${key})`,
  ending: (text, length) => `substr(${text}, -${length})`,
  exactInteger: (column) =>
    `CASE WHEN abs(${column}) > ${Number.MAX_SAFE_INTEGER} THEN CAST(${column} AS TEXT) ELSE ${column} END`,
  indexedBy: (index) => `INDEXED BY ${index}`,
  joinEntries: (condition, index) =>
    `CROSS JOIN entries e ${index === undefined ? '' : `INDEXED BY ${index}`} ON ${condition}`,
  lockRecords: null,
  nameNode: null,
};
