/**
 * Records that people edit, in SQL that PostgreSQL understands too: epoch-ms integers, JSON as text, booleans as 0 and 1.
 *
 * `users`, `user_credentials`, `user_sessions` and `user_verifications` belong to the authentication library; their times are
 * ISO 8601 texts. `round` of a delivery distinguishes a replay from the first delivery of the same message. `deliveries_line` indexes
 * all states: SQLite never chose a partial index there. `jobs` says which process runs a job, `episodes` which episodes
 * detection follows. Days of subscriptions are local days of the workspace, first and last included.
 */
export const records001: readonly string[] = [
  `CREATE TABLE workspaces (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  time_zone TEXT NOT NULL,
  time_zones TEXT NOT NULL,
  retention_days INTEGER NOT NULL,
  created_at BIGINT NOT NULL
)`,
  `CREATE TABLE provider_keys (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  provider TEXT NOT NULL,
  sealed TEXT,
  fingerprint TEXT,
  last_four TEXT,
  set_at BIGINT NOT NULL
)`,
  `CREATE TABLE former_provider_keys (
  id TEXT PRIMARY KEY,
  provider_key_id TEXT NOT NULL REFERENCES provider_keys (id),
  sealed_ends TEXT,
  fingerprint TEXT,
  last_four TEXT,
  set_at BIGINT NOT NULL,
  ended_at BIGINT NOT NULL
)`,
  'CREATE INDEX former_provider_keys_place ON former_provider_keys (provider_key_id)',
  `CREATE TABLE wrapped_keys (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  provider_key_id TEXT NOT NULL REFERENCES provider_keys (id),
  name TEXT NOT NULL,
  provider TEXT NOT NULL,
  public_id TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  credential TEXT NOT NULL,
  tags TEXT NOT NULL,
  policy TEXT,
  created_by TEXT,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT
)`,
  'CREATE UNIQUE INDEX wrapped_keys_name ON wrapped_keys (workspace_id, name) WHERE revoked_at IS NULL',
  'CREATE INDEX wrapped_keys_provider_key ON wrapped_keys (provider_key_id)',
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
  counts_observed SMALLINT NOT NULL,
  backfilled SMALLINT NOT NULL,
  created_at BIGINT NOT NULL
)`,
  'CREATE UNIQUE INDEX limits_scope ON limits (workspace_id, scope, unit, "window", action)',
  'CREATE INDEX limits_kind ON limits (workspace_id, kind)',
  `CREATE TABLE access_tokens (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  name TEXT NOT NULL,
  public_id TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  created_by TEXT,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT
)`,
  'CREATE UNIQUE INDEX access_tokens_name ON access_tokens (workspace_id, name) WHERE revoked_at IS NULL',
  `CREATE TABLE users (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE,
  email_verified INTEGER NOT NULL,
  image TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
)`,
  `CREATE TABLE user_credentials (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  account_id TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  password TEXT,
  access_token TEXT,
  refresh_token TEXT,
  id_token TEXT,
  access_token_expires_at TEXT,
  refresh_token_expires_at TEXT,
  scope TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
)`,
  'CREATE INDEX user_credentials_user ON user_credentials (user_id)',
  `CREATE TABLE user_sessions (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  token TEXT NOT NULL UNIQUE,
  expires_at TEXT NOT NULL,
  ip_address TEXT,
  user_agent TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
)`,
  'CREATE INDEX user_sessions_user ON user_sessions (user_id)',
  `CREATE TABLE user_verifications (
  id TEXT PRIMARY KEY,
  identifier TEXT NOT NULL,
  value TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
)`,
  'CREATE INDEX user_verifications_identifier ON user_verifications (identifier)',
  `CREATE TABLE members (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  user_id TEXT NOT NULL REFERENCES users (id),
  role TEXT NOT NULL,
  since BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, user_id)
)`,
  'CREATE INDEX members_user ON members (user_id)',
  `CREATE TABLE invitations (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  hash TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL,
  email TEXT,
  created_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  accepted_by TEXT,
  accepted_at BIGINT,
  revoked_at BIGINT
)`,
  'CREATE INDEX invitations_workspace ON invitations (workspace_id)',
  `CREATE TABLE admin_keys (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  provider TEXT NOT NULL,
  name TEXT NOT NULL,
  sealed TEXT,
  fingerprint TEXT NOT NULL,
  last_four TEXT NOT NULL,
  organization_id TEXT,
  organization_name TEXT,
  created_at BIGINT NOT NULL,
  paused_at BIGINT,
  pause_reason TEXT,
  removed_at BIGINT,
  next_at BIGINT NOT NULL,
  failures INTEGER NOT NULL,
  problem TEXT
)`,
  'CREATE INDEX admin_keys_workspace ON admin_keys (workspace_id)',
  `CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  name TEXT NOT NULL,
  sealed_url TEXT NOT NULL,
  sealed_secret TEXT,
  sealed_old_secret TEXT,
  old_secret_until BIGINT,
  type TEXT NOT NULL,
  events TEXT NOT NULL,
  digest TEXT NOT NULL,
  enabled SMALLINT NOT NULL,
  disable_reason TEXT,
  failing_since BIGINT,
  failures INTEGER NOT NULL,
  next_at BIGINT NOT NULL,
  claimed_by TEXT,
  claimed_until BIGINT NOT NULL,
  created_at BIGINT NOT NULL
)`,
  'CREATE INDEX webhooks_workspace ON webhooks (workspace_id)',
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
  `CREATE INDEX deliveries_alert ON deliveries (alert_id) WHERE state = 'waiting'`,
  `CREATE TABLE delivery_attempts (
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
  `CREATE TABLE alerts (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  episode TEXT NOT NULL,
  type TEXT NOT NULL,
  severity TEXT NOT NULL,
  title TEXT NOT NULL,
  message TEXT NOT NULL,
  scope TEXT NOT NULL,
  value DOUBLE PRECISION,
  threshold DOUBLE PRECISION,
  period_start BIGINT,
  period_end BIGINT,
  evidence TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  read_at BIGINT,
  resolved_at BIGINT
)`,
  'CREATE UNIQUE INDEX alerts_episode ON alerts (workspace_id, episode)',
  'CREATE INDEX alerts_time ON alerts (workspace_id, created_at)',
  'CREATE INDEX alerts_open ON alerts (workspace_id, type) WHERE resolved_at IS NULL',
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
  `CREATE TABLE detection (
  workspace_id TEXT PRIMARY KEY REFERENCES workspaces (id),
  sensitivity TEXT NOT NULL,
  minimum BIGINT NOT NULL
)`,
  `CREATE TABLE episodes (
  workspace_id TEXT PRIMARY KEY REFERENCES workspaces (id),
  known TEXT NOT NULL
)`,
  `CREATE TABLE custom_prices (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  valid_from BIGINT,
  card TEXT NOT NULL,
  created_at BIGINT NOT NULL
)`,
  'CREATE UNIQUE INDEX custom_prices_model ON custom_prices (workspace_id, provider, model, coalesce(valid_from, -1))',
  `CREATE TABLE price_cards (
  version TEXT PRIMARY KEY,
  card TEXT NOT NULL
)`,
  `CREATE TABLE contracts (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  contract TEXT NOT NULL,
  created_at BIGINT NOT NULL
)`,
  'CREATE INDEX contracts_workspace ON contracts (workspace_id)',
  `CREATE TABLE bill_lines (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  line TEXT NOT NULL,
  created_at BIGINT NOT NULL
)`,
  'CREATE INDEX bill_lines_workspace ON bill_lines (workspace_id)',
  `CREATE TABLE subscriptions (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  name TEXT NOT NULL,
  provider TEXT NOT NULL,
  plan TEXT NOT NULL,
  monthly_cost BIGINT NOT NULL,
  seats INTEGER NOT NULL,
  started_on TEXT NOT NULL,
  ended_on TEXT,
  token_ids TEXT NOT NULL,
  created_at BIGINT NOT NULL
)`,
  'CREATE INDEX subscriptions_workspace ON subscriptions (workspace_id)',
  `CREATE TABLE saved_views (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  name TEXT NOT NULL,
  address TEXT NOT NULL,
  created_at BIGINT NOT NULL
)`,
  'CREATE INDEX saved_views_workspace ON saved_views (workspace_id)',
  `CREATE TABLE jobs (
  name TEXT PRIMARY KEY,
  claimed_by TEXT NOT NULL,
  claimed_until BIGINT NOT NULL,
  ran_at BIGINT
)`,
  `CREATE TABLE call_problems (
  call_id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  problem TEXT NOT NULL,
  asks BIGINT NOT NULL,
  asked_at BIGINT NOT NULL,
  due_at BIGINT
)`,
  'CREATE INDEX call_problems_asked ON call_problems (asked_at)',
  `CREATE TABLE nodes (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  version TEXT NOT NULL,
  started_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  stopped_at BIGINT,
  unshipped_calls BIGINT NOT NULL,
  lag_ms BIGINT NOT NULL
)`,
  `CREATE TABLE pending_backfills (
  counter BIGINT NOT NULL,
  node TEXT NOT NULL,
  PRIMARY KEY (counter, node)
)`,
  // Counts of metrics by day; the rows of series '' are sums of old series.
  `CREATE TABLE observed_outcomes (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  series TEXT NOT NULL,
  day BIGINT NOT NULL,
  token_id TEXT NOT NULL,
  assistant TEXT NOT NULL,
  session TEXT,
  kind TEXT NOT NULL,
  amount BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, series, day, token_id, assistant, kind)
)`,
  'CREATE INDEX observed_outcomes_day ON observed_outcomes (workspace_id, day)',
  `CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
)`,
  `CREATE TABLE audit (
  seq BIGINT PRIMARY KEY,
  at BIGINT NOT NULL,
  workspace_id TEXT,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  "before" TEXT,
  "after" TEXT,
  prev_hash TEXT NOT NULL,
  hash TEXT NOT NULL
)`,
  'CREATE INDEX audit_workspace ON audit (workspace_id, seq)',
];
