import { type Kysely, sql } from 'kysely';
import { entryTables } from '../sqlite/schema.ts';

const recordTables = [
  `CREATE TABLE workspaces (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  time_zone TEXT NOT NULL,
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
  `CREATE TABLE wrapped_keys (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  provider_key_id TEXT NOT NULL REFERENCES provider_keys (id),
  name TEXT NOT NULL,
  provider TEXT NOT NULL,
  public_id TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  tags TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT
)`,
  'CREATE UNIQUE INDEX wrapped_keys_name ON wrapped_keys (workspace_id, name) WHERE revoked_at IS NULL',
  'CREATE INDEX wrapped_keys_provider_key ON wrapped_keys (provider_key_id)',
  `CREATE TABLE access_tokens (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  name TEXT NOT NULL,
  public_id TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT
)`,
  'CREATE UNIQUE INDEX access_tokens_name ON access_tokens (workspace_id, name) WHERE revoked_at IS NULL',
  `CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  name TEXT NOT NULL,
  sealed_url TEXT NOT NULL,
  sealed_secret TEXT,
  type TEXT NOT NULL,
  events TEXT NOT NULL,
  enabled SMALLINT NOT NULL,
  created_at BIGINT NOT NULL
)`,
  'CREATE INDEX webhooks_workspace ON webhooks (workspace_id)',
  `CREATE TABLE user_prices (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  valid_from BIGINT,
  card TEXT NOT NULL,
  created_at BIGINT NOT NULL
)`,
  'CREATE UNIQUE INDEX user_prices_model ON user_prices (workspace_id, provider, model, coalesce(valid_from, -1))',
  'CREATE TABLE price_cards (version TEXT PRIMARY KEY, card TEXT NOT NULL)',
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
  evidence TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  read_at BIGINT
)`,
  'CREATE UNIQUE INDEX alerts_episode ON alerts (workspace_id, episode)',
  'CREATE INDEX alerts_time ON alerts (workspace_id, created_at)',
  'CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)',
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

/** Everything that 0.1.0 stores: records, entries and roll-ups. */
export async function first(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...recordTables, ...entryTables]) await sql.raw(statement).execute(db);
}
