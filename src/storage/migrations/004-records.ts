/** Flat-rate subscriptions. Days are local ones of the workspace, both included; `tokens` is a JSON list of ids. */
export const records004: readonly string[] = [
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
  tokens TEXT NOT NULL,
  created_at BIGINT NOT NULL
)`,
  'CREATE INDEX subscriptions_workspace ON subscriptions (workspace_id)',
];
