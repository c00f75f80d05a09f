import type { Dialect } from '../sql/dialect.ts';

export const SQLITE_DIALECT: Dialect = {
  tagValue: (tags, key) => `(SELECT value FROM json_each(${tags}) WHERE key = ${key})`,
  ending: (text, length) => `substr(${text}, -${length})`,
  indexedBy: (index) => `INDEXED BY ${index}`,
  joinEach: 'CROSS JOIN',
  lockRecords: null,
};
