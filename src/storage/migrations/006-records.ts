/** Connections to organizations by their admin keys. One that is removed loses its key at once, its rows soon after. */
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
];
