/**
 * Alerts have a period and an end; webhooks have a line of deliveries that one runner at a time works on, each delivery
 * with its attempts. `round` tells a replay from the first delivery of the same message. `jobs` says who runs what.
 * The line is an index over all states: of two that begin alike SQLite never chose a partial one.
 */
export const records005: readonly string[] = [
  'ALTER TABLE alerts ADD COLUMN period_start BIGINT',
  'ALTER TABLE alerts ADD COLUMN period_end BIGINT',
  'ALTER TABLE alerts ADD COLUMN resolved_at BIGINT',
  'CREATE INDEX alerts_open ON alerts (workspace_id, type) WHERE resolved_at IS NULL',
  'ALTER TABLE webhooks ADD COLUMN sealed_old_secret TEXT',
  'ALTER TABLE webhooks ADD COLUMN old_secret_until BIGINT',
  "ALTER TABLE webhooks ADD COLUMN digest TEXT NOT NULL DEFAULT 'off'",
  'ALTER TABLE webhooks ADD COLUMN disabled_because TEXT',
  'ALTER TABLE webhooks ADD COLUMN failing_since BIGINT',
  'ALTER TABLE webhooks ADD COLUMN failures INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE webhooks ADD COLUMN next_at BIGINT NOT NULL DEFAULT 0',
  'ALTER TABLE webhooks ADD COLUMN claimed_by TEXT',
  'ALTER TABLE webhooks ADD COLUMN claimed_until BIGINT NOT NULL DEFAULT 0',
  `CREATE TABLE deliveries (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  webhook_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  round INTEGER NOT NULL,
  kind TEXT NOT NULL,
  alert_id TEXT,
  content TEXT,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  next_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  ended_at BIGINT,
  UNIQUE (webhook_id, message_id, round)
)`,
  'CREATE INDEX deliveries_line ON deliveries (webhook_id, state, created_at, id, next_at)',
  'CREATE INDEX deliveries_webhook ON deliveries (webhook_id, created_at, id)',
  "CREATE INDEX deliveries_alert ON deliveries (alert_id) WHERE state = 'waiting'",
  `CREATE TABLE attempts (
  delivery_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  at BIGINT NOT NULL,
  ms INTEGER NOT NULL,
  status INTEGER,
  error TEXT,
  request TEXT NOT NULL,
  response TEXT,
  PRIMARY KEY (delivery_id, number)
)`,
  `CREATE TABLE jobs (
  name TEXT PRIMARY KEY,
  claimed_by TEXT NOT NULL,
  claimed_until BIGINT NOT NULL,
  ran_at BIGINT
)`,
  `CREATE TABLE detection (
  workspace_id TEXT PRIMARY KEY REFERENCES workspaces (id),
  sensitivity TEXT NOT NULL,
  minimum BIGINT NOT NULL
)`,
  `CREATE TABLE mutes (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  type TEXT,
  scope TEXT NOT NULL,
  until BIGINT,
  reason TEXT NOT NULL,
  created_at BIGINT NOT NULL
)`,
  'CREATE INDEX mutes_workspace ON mutes (workspace_id)',
  `CREATE TABLE episodes (
  workspace_id TEXT PRIMARY KEY REFERENCES workspaces (id),
  known TEXT NOT NULL
)`,
];
