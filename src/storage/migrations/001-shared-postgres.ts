/** Counts that a process keeps in memory where no other uses its database. */
export const shared001: readonly string[] = [
  `CREATE TABLE attempts (
  rule TEXT NOT NULL,
  key TEXT NOT NULL,
  count INTEGER NOT NULL,
  ends_at BIGINT NOT NULL,
  PRIMARY KEY (rule, key)
)`,
  'CREATE INDEX attempts_ends ON attempts (rule, ends_at)',
];
