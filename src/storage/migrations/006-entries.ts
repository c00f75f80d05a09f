/**
 * Provider reports, by connection and UTC day: a day of a report is replaced as a whole. Words are numbers of `names`
 * (0 = none). `report_days` says when a day was read and when it last changed. `report_costs` and `report_people` number
 * the lines of a day.
 */
export const entries006: readonly string[] = [
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
];
