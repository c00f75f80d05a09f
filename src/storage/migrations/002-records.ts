/**
 * Limits, policies of wrapped keys, and since when a workspace has its time zone. `counter` numbers the counters of a
 * limit; the setting `limits.counter` holds the last number given, so that none is ever given twice. `kind` is the
 * kind of the scope.
 */
export const records002: readonly string[] = [
  `CREATE TABLE limits (
  id TEXT PRIMARY KEY,
  counter BIGINT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  kind TEXT NOT NULL,
  scope TEXT NOT NULL,
  unit TEXT NOT NULL,
  amount BIGINT NOT NULL,
  raise TEXT,
  "window" TEXT NOT NULL,
  action TEXT NOT NULL,
  thresholds TEXT NOT NULL,
  uncertain TEXT NOT NULL,
  label TEXT,
  counts_past SMALLINT NOT NULL,
  created_at BIGINT NOT NULL
)`,
  'CREATE UNIQUE INDEX limits_scope ON limits (workspace_id, scope, unit, "window", action)',
  'CREATE INDEX limits_kind ON limits (workspace_id, kind)',
  'ALTER TABLE wrapped_keys ADD COLUMN policy TEXT',
  "ALTER TABLE workspaces ADD COLUMN time_zones TEXT NOT NULL DEFAULT '[]'",
  `UPDATE workspaces SET time_zones = '[{"zone":"' || time_zone || '","since":0}]'`,
];
