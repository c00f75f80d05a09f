/**
 * Calls that telemetry and usage events report, in SQLite. Words are numbers of `names` (0 = none).
 *
 * `observed_calls` has each report once; `details` is the rest of a call, as JSON. `state`, `figures_of` and `joined_by` say
 * which report has its figures; `possible` lists gateway calls that may be it, as JSON. `observed_refs` has the texts by
 * which reports of one call are found, `observed_due` the calls to join again. `observed_adjustments` are changes of what a
 * call adds to `observed_hour` and `observed_day`.
 */
export const observed001: readonly string[] = [
  `CREATE TABLE observed_calls (
  id INTEGER PRIMARY KEY,
  workspace INTEGER NOT NULL,
  observation TEXT NOT NULL,
  source INTEGER NOT NULL,
  signal INTEGER NOT NULL,
  assistant INTEGER NOT NULL,
  token INTEGER NOT NULL,
  provider INTEGER NOT NULL,
  model INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL,
  session TEXT,
  tags TEXT,
  details TEXT NOT NULL,
  cost INTEGER,
  uncertain_up_to INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  price_version TEXT,
  state INTEGER NOT NULL,
  figures_of TEXT,
  joined_by INTEGER NOT NULL,
  possible TEXT
) STRICT`,
  'CREATE UNIQUE INDEX observed_calls_observation ON observed_calls (workspace, observation)',
  'CREATE INDEX observed_calls_time ON observed_calls (workspace, started_at)',
  'CREATE INDEX observed_calls_session ON observed_calls (workspace, session) WHERE session IS NOT NULL',
  'CREATE INDEX observed_calls_figures ON observed_calls (workspace, figures_of) WHERE figures_of IS NOT NULL',
  'CREATE INDEX observed_calls_possible ON observed_calls (workspace, started_at) WHERE possible IS NOT NULL',
  'CREATE INDEX observed_calls_tags ON observed_calls (workspace, started_at) WHERE tags IS NOT NULL',
  'CREATE INDEX observed_calls_unpriced ON observed_calls (workspace) WHERE cost IS NULL',
  `CREATE TABLE observed_refs (
  workspace INTEGER NOT NULL,
  ref TEXT NOT NULL,
  observed INTEGER NOT NULL,
  PRIMARY KEY (workspace, ref, observed)
) STRICT, WITHOUT ROWID`,
  'CREATE INDEX observed_refs_observed ON observed_refs (observed)',
  `CREATE TABLE observed_due (
  workspace INTEGER NOT NULL,
  observed INTEGER NOT NULL,
  PRIMARY KEY (workspace, observed)
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE observed_adjustments (
  id INTEGER PRIMARY KEY,
  observed INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL,
  cost_before INTEGER,
  cost_after INTEGER,
  reason TEXT NOT NULL
) STRICT`,
  'CREATE INDEX observed_adjustments_observed ON observed_adjustments (observed)',
  `CREATE TABLE observed_hour (
  workspace INTEGER NOT NULL,
  start INTEGER NOT NULL,
  source INTEGER NOT NULL,
  assistant INTEGER NOT NULL,
  token INTEGER NOT NULL,
  provider INTEGER NOT NULL,
  model INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  unpriced_calls INTEGER NOT NULL,
  uncertain_calls INTEGER NOT NULL,
  uncertain_up_to INTEGER NOT NULL,
  PRIMARY KEY (workspace, start, source, assistant, token, provider, model)
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE observed_day (
  workspace INTEGER NOT NULL,
  start INTEGER NOT NULL,
  source INTEGER NOT NULL,
  assistant INTEGER NOT NULL,
  token INTEGER NOT NULL,
  provider INTEGER NOT NULL,
  model INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  unpriced_calls INTEGER NOT NULL,
  uncertain_calls INTEGER NOT NULL,
  uncertain_up_to INTEGER NOT NULL,
  PRIMARY KEY (workspace, start, source, assistant, token, provider, model)
) STRICT, WITHOUT ROWID`,
];
