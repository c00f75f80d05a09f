/**
 * Usage of sessions and keys, and provider reports, in SQLite. Words are numbers of `names` (0 = none).
 *
 * `session_use` has what calls of an assistant session used through the gateway, by UTC hour, model and terms; it outlives
 * its entries. `session_records` are uploaded records (`counts` is the rest of a record, as JSON), each with its usage beyond
 * those calls; `session_hour` and `session_day` add that up. `session_due` lists sessions to compute again. `session_models`
 * bounds the number of models.
 *
 * `key_use_day` has what calls through the gateway used by wrapped key, in the classes and on the terms of provider reports.
 * `terms` is a name: `[provider, tier, geo, speed, length step, price version, certainty]`. The certainty says what the
 * amounts are: 0 the most that uncertain calls may have used, 1 what calls used, 2 what the provider reported before an uncertain
 * call broke off, 3 an estimate. `key_use_late` is the part of calls that ran past the end of their UTC day.
 *
 * Reports are stored by connection and UTC day; a day is replaced as a whole. `report_days` says when a day was read and when
 * it last changed. `unproxied_usage` is the usage of a day beyond the calls of the gateway, `unproxied_days` says by which
 * terms it was computed, `unproxied_due` which days to compute again. `unpriced_uses` is usage with neither a price nor a
 * number of calls.
 */
export const usage001: readonly string[] = [
  `CREATE TABLE session_use (
  workspace INTEGER NOT NULL,
  session TEXT NOT NULL,
  start INTEGER NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  requested TEXT NOT NULL,
  speed TEXT NOT NULL,
  tier TEXT NOT NULL,
  geo TEXT NOT NULL,
  step INTEGER NOT NULL,
  input INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  cache_write_5m INTEGER NOT NULL,
  cache_write_1h INTEGER NOT NULL,
  output INTEGER NOT NULL,
  web_searches INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  PRIMARY KEY (workspace, session, start, provider, model, requested, speed, tier, geo, step)
) STRICT, WITHOUT ROWID`,
  'CREATE INDEX session_use_time ON session_use (workspace, start)',
  `CREATE TABLE session_records (
  id INTEGER PRIMARY KEY,
  workspace INTEGER NOT NULL,
  session TEXT NOT NULL,
  source INTEGER NOT NULL,
  token INTEGER NOT NULL,
  model INTEGER NOT NULL,
  at INTEGER NOT NULL,
  counts TEXT NOT NULL,
  price_version TEXT,
  calls INTEGER NOT NULL,
  uncounted_records INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  unpriced_calls INTEGER NOT NULL,
  unpriced_uses INTEGER NOT NULL
) STRICT`,
  'CREATE INDEX session_records_session ON session_records (workspace, session, model)',
  'CREATE INDEX session_records_time ON session_records (workspace, at)',
  `CREATE INDEX session_records_unpriced ON session_records (workspace)
  WHERE unpriced_calls + unpriced_uses > 0`,
  `CREATE TABLE session_hour (
  workspace INTEGER NOT NULL,
  start INTEGER NOT NULL,
  source INTEGER NOT NULL,
  token INTEGER NOT NULL,
  model INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  uncounted_records INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  unpriced_calls INTEGER NOT NULL,
  unpriced_uses INTEGER NOT NULL,
  PRIMARY KEY (workspace, start, source, token, model)
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE session_day (
  workspace INTEGER NOT NULL,
  start INTEGER NOT NULL,
  source INTEGER NOT NULL,
  token INTEGER NOT NULL,
  model INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  uncounted_records INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  unpriced_calls INTEGER NOT NULL,
  unpriced_uses INTEGER NOT NULL,
  PRIMARY KEY (workspace, start, source, token, model)
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE session_due (
  workspace INTEGER NOT NULL,
  session TEXT NOT NULL,
  PRIMARY KEY (workspace, session)
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE session_models (
  workspace INTEGER NOT NULL,
  model INTEGER NOT NULL,
  PRIMARY KEY (workspace, model)
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE key_use_day (
  workspace INTEGER NOT NULL,
  start INTEGER NOT NULL,
  key INTEGER NOT NULL,
  model INTEGER NOT NULL,
  call_model INTEGER NOT NULL,
  terms INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  failed_calls INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  uncertain_up_to INTEGER NOT NULL,
  input INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  cache_write_5m INTEGER NOT NULL,
  cache_write_1h INTEGER NOT NULL,
  output INTEGER NOT NULL,
  web_searches INTEGER NOT NULL,
  others TEXT,
  PRIMARY KEY (workspace, start, key, model, call_model, terms)
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE key_use_late (
  workspace INTEGER NOT NULL,
  start INTEGER NOT NULL,
  key INTEGER NOT NULL,
  model INTEGER NOT NULL,
  call_model INTEGER NOT NULL,
  terms INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  failed_calls INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  uncertain_up_to INTEGER NOT NULL,
  input INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  cache_write_5m INTEGER NOT NULL,
  cache_write_1h INTEGER NOT NULL,
  output INTEGER NOT NULL,
  web_searches INTEGER NOT NULL,
  others TEXT,
  PRIMARY KEY (workspace, start, key, model, call_model, terms)
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE report_states (
  connection INTEGER NOT NULL,
  report INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  goal INTEGER NOT NULL,
  top INTEGER NOT NULL,
  done_from INTEGER NOT NULL,
  done_to INTEGER NOT NULL,
  cursor TEXT,
  read_at INTEGER NOT NULL,
  PRIMARY KEY (connection, report)
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE report_days (
  connection INTEGER NOT NULL,
  report INTEGER NOT NULL,
  day INTEGER NOT NULL,
  read_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (connection, report, day)
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE report_usage (
  connection INTEGER NOT NULL,
  day INTEGER NOT NULL,
  report INTEGER NOT NULL,
  key INTEGER NOT NULL,
  model INTEGER NOT NULL,
  project INTEGER NOT NULL,
  tier INTEGER NOT NULL,
  context INTEGER NOT NULL,
  geo INTEGER NOT NULL,
  speed INTEGER NOT NULL,
  input INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  cache_write_5m INTEGER NOT NULL,
  cache_write_1h INTEGER NOT NULL,
  output INTEGER NOT NULL,
  web_searches INTEGER NOT NULL,
  others TEXT,
  requests INTEGER,
  PRIMARY KEY (connection, day, report, key, model, project, tier, context, geo, speed)
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE report_costs (
  connection INTEGER NOT NULL,
  day INTEGER NOT NULL,
  report INTEGER NOT NULL,
  line INTEGER NOT NULL,
  key INTEGER NOT NULL,
  model INTEGER NOT NULL,
  project INTEGER NOT NULL,
  tier INTEGER NOT NULL,
  context INTEGER NOT NULL,
  geo INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  class INTEGER NOT NULL,
  description TEXT,
  amount TEXT NOT NULL,
  unit INTEGER NOT NULL,
  nano_usd INTEGER,
  PRIMARY KEY (connection, day, report, line)
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE report_people (
  connection INTEGER NOT NULL,
  day INTEGER NOT NULL,
  report INTEGER NOT NULL,
  line INTEGER NOT NULL,
  person TEXT NOT NULL,
  PRIMARY KEY (connection, day, report, line)
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE report_names (
  connection INTEGER NOT NULL,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  hint TEXT,
  project TEXT,
  status TEXT,
  PRIMARY KEY (connection, kind, id)
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE unproxied_usage (
  workspace INTEGER NOT NULL,
  day INTEGER NOT NULL,
  connection INTEGER NOT NULL,
  provider INTEGER NOT NULL,
  model INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  uncounted_records INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  unpriced_calls INTEGER NOT NULL,
  unpriced_uses INTEGER NOT NULL,
  covered_total INTEGER NOT NULL,
  covered_unproxied INTEGER NOT NULL,
  covered_unknown INTEGER NOT NULL,
  PRIMARY KEY (workspace, day, connection, model)
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE unproxied_days (
  connection INTEGER NOT NULL,
  day INTEGER NOT NULL,
  workspace INTEGER NOT NULL,
  is_closed INTEGER NOT NULL,
  terms TEXT NOT NULL,
  PRIMARY KEY (connection, day)
) STRICT, WITHOUT ROWID`,
  'CREATE INDEX unproxied_days_closed ON unproxied_days (day) WHERE is_closed = 1',
  `CREATE TABLE unproxied_due (
  connection INTEGER NOT NULL,
  day INTEGER NOT NULL,
  serial INTEGER NOT NULL DEFAULT (abs(random() >> 12)),
  PRIMARY KEY (connection, day)
) STRICT, WITHOUT ROWID`,
];
