/**
 * Connections to organizations by their admin keys: one that is removed loses its key at once, its rows soon after. And
 * which provider keys stood behind wrapped keys before, for the reports of that time.
 */
export const records006: readonly string[] = [
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
  paused_because TEXT,
  removed_at BIGINT,
  next_at BIGINT NOT NULL,
  failures INTEGER NOT NULL,
  problem TEXT
)`,
  'CREATE INDEX admin_keys_workspace ON admin_keys (workspace_id)',
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
];
