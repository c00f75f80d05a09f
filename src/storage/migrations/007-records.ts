/**
 * People, their passwords and sessions, what they are in which workspace, and who is invited. The first four tables are
 * of the library that signs in: its times are ISO 8601 texts. Keys and tokens say who made them; those of before do not.
 */
export const records007: readonly string[] = [
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
  made_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  accepted_by TEXT,
  accepted_at BIGINT,
  revoked_at BIGINT
)`,
  'CREATE INDEX invitations_workspace ON invitations (workspace_id)',
  'ALTER TABLE wrapped_keys ADD COLUMN made_by TEXT',
  'ALTER TABLE access_tokens ADD COLUMN made_by TEXT',
];
