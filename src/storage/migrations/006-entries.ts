/**
 * Provider reports, by connection and UTC day: a day of a report is replaced as a whole. Words are numbers of `names`
 * (0 = none). `report_days` says when a day was read and when it last changed. `report_costs` and `report_people` number
 * the lines of a day. `key_use_day` is what calls through the gate used by wrapped key, in the classes and on the terms
 * that reports tell apart; `terms` is a name, `[provider, tier, geo, speed, length step, price version, told]`, of which
 * the last says what the amounts are: 0 the most that calls in doubt may have used, 1 what calls used, 2 what the provider
 * told of those in doubt, 3 what they are estimated to have used. `key_use_late` is the part of it that calls used which
 * were under way when their day ended. `report_rest` is what a day holds beyond the calls of the gate, `report_settled` by
 * what terms it was worked out, `report_unsettled` which days are to be worked out anew. `unpriced_uses` is usage that has
 * neither a price nor a number of calls, which stood in `unpriced_calls` of sessions as one call.
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
  'ALTER TABLE adjustments ADD COLUMN resolved_usage TEXT',
  `CREATE TABLE key_use_parts AS
SELECT e.workspace, e.began_at - e.began_at % 86400000 AS start, e.key, i.value ->> 'model' AS pass_model, e.model,
  json_array(p.text,
    CASE WHEN e.usage ->> '$.terms.tier' IN ('batch', 'flex', 'priority') THEN e.usage ->> '$.terms.tier' ELSE '' END,
    CASE WHEN e.usage ->> '$.terms.geo' = 'us' THEN 'us' ELSE '' END,
    CASE coalesce(e.usage ->> '$.terms.speed', 'standard') WHEN 'standard' THEN '' WHEN 'fast' THEN 'fast' ELSE 'other' END,
    CASE WHEN i.value ->> 'promptTokens' > 272000 THEN 272000 WHEN i.value ->> 'promptTokens' > 256000 THEN 256000
      WHEN i.value ->> 'promptTokens' > 200000 THEN 200000 WHEN i.value ->> 'promptTokens' > 128000 THEN 128000
      WHEN i.value ->> 'promptTokens' > 100000 THEN 100000 ELSE 0 END,
    coalesce((SELECT a.price_version FROM adjustments a WHERE a.entry = e.id ORDER BY a.id DESC LIMIT 1), v.text),
    1) AS terms,
  i.key = 0 AS calls, (i.key = 0) * e.failed_calls AS failed_calls,
  (i.key = 0) * (coalesce(e.cost, 0)
    + coalesce((SELECT sum(a.cost_moved) FROM adjustments a WHERE a.entry = e.id), 0)) AS cost,
  0 AS uncertain_up_to,
  coalesce(i.value ->> '$.tokens.input', 0) + coalesce(i.value ->> '$.tokens.inputAudio', 0)
    + coalesce(i.value ->> '$.tokens.inputImage', 0) AS input,
  coalesce(i.value ->> '$.tokens.cacheRead', 0) + coalesce(i.value ->> '$.tokens.cacheReadAudio', 0) AS cache_read,
  coalesce(i.value ->> '$.tokens.cacheWrite', 0) + coalesce(i.value ->> '$.tokens.cacheWrite12h', 0) AS cache_write,
  coalesce(i.value ->> '$.tokens.cacheWrite5m', 0) AS cache_write_5m,
  coalesce(i.value ->> '$.tokens.cacheWrite1h', 0) AS cache_write_1h,
  coalesce(i.value ->> '$.tokens.output', 0) + coalesce(i.value ->> '$.tokens.outputAudio', 0)
    + coalesce(i.value ->> '$.tokens.outputImage', 0) AS output,
  CASE i.key WHEN 0 THEN coalesce(e.usage ->> '$.uses.webSearch', 0) ELSE 0 END AS web_searches,
  e.ended_at / 86400000 > e.began_at / 86400000 AS late
FROM entries e CROSS JOIN json_each(e.usage, '$.inferences') i JOIN names p ON p.id = e.provider
LEFT JOIN names v ON v.id = e.price_version
WHERE e.sent = 1 AND e.uncertain_calls = 0 AND e.source = (SELECT id FROM names WHERE text = 'proxy')`,
  `INSERT INTO key_use_parts
SELECT e.workspace, e.began_at - e.began_at % 86400000, e.key, NULL, e.model,
  json_array(p.text, '', '', '', 0,
    coalesce((SELECT a.price_version FROM adjustments a WHERE a.entry = e.id ORDER BY a.id DESC LIMIT 1), v.text),
    (e.uncertain_calls = 0 OR e.resolved = 1) + 0),
  1, e.failed_calls,
  coalesce(e.cost, 0) + coalesce((SELECT sum(a.cost_moved) FROM adjustments a WHERE a.entry = e.id), 0),
  e.uncertain_up_to + coalesce((SELECT sum(a.uncertain_moved) FROM adjustments a WHERE a.entry = e.id), 0),
  CASE WHEN e.uncertain_calls = 0 THEN 0 WHEN e.resolved = 0 THEN e.counted_input
    ELSE (SELECT a.resolved_input FROM adjustments a WHERE a.entry = e.id AND a.resolved_input IS NOT NULL) END,
  0, 0, 0, 0,
  CASE WHEN e.uncertain_calls = 0 THEN 0 WHEN e.resolved = 0 THEN e.counted_output
    ELSE (SELECT a.resolved_output FROM adjustments a WHERE a.entry = e.id AND a.resolved_input IS NOT NULL) END,
  0, e.ended_at / 86400000 > e.began_at / 86400000
FROM entries e JOIN names p ON p.id = e.provider LEFT JOIN names v ON v.id = e.price_version
WHERE e.sent = 1 AND e.source = (SELECT id FROM names WHERE text = 'proxy')
  AND (e.uncertain_calls = 1 OR e.usage IS NULL OR coalesce(json_array_length(e.usage, '$.inferences'), 0) = 0)`,
  `INSERT INTO key_use_parts
SELECT e.workspace, e.began_at - e.began_at % 86400000, e.key, i.value ->> 'model', e.model,
  json_array(p.text, '', '', '', 0,
    CASE WHEN coalesce((SELECT a.cost_after FROM adjustments a WHERE a.entry = e.id ORDER BY a.id DESC LIMIT 1), e.cost)
      IS NOT NULL THEN coalesce(
        (SELECT a.price_version FROM adjustments a WHERE a.entry = e.id ORDER BY a.id DESC LIMIT 1), v.text) END,
    CASE u.text WHEN 'counted' THEN 3 ELSE 2 END),
  0, 0, 0, 0,
  coalesce(i.value ->> '$.tokens.input', 0) + coalesce(i.value ->> '$.tokens.inputAudio', 0)
    + coalesce(i.value ->> '$.tokens.inputImage', 0),
  coalesce(i.value ->> '$.tokens.cacheRead', 0) + coalesce(i.value ->> '$.tokens.cacheReadAudio', 0),
  coalesce(i.value ->> '$.tokens.cacheWrite', 0) + coalesce(i.value ->> '$.tokens.cacheWrite12h', 0),
  coalesce(i.value ->> '$.tokens.cacheWrite5m', 0), coalesce(i.value ->> '$.tokens.cacheWrite1h', 0),
  coalesce(i.value ->> '$.tokens.output', 0) + coalesce(i.value ->> '$.tokens.outputAudio', 0)
    + coalesce(i.value ->> '$.tokens.outputImage', 0),
  CASE i.key WHEN 0 THEN coalesce(e.usage ->> '$.uses.webSearch', 0) ELSE 0 END,
  e.ended_at / 86400000 > e.began_at / 86400000
FROM entries e CROSS JOIN json_each(e.usage, '$.inferences') i JOIN names p ON p.id = e.provider
JOIN names u ON u.id = e.usage_source LEFT JOIN names v ON v.id = e.price_version
WHERE e.sent = 1 AND e.uncertain_calls = 1 AND e.resolved = 0
  AND e.source = (SELECT id FROM names WHERE text = 'proxy')`,
  `INSERT OR IGNORE INTO names (text)
SELECT terms FROM key_use_parts UNION SELECT pass_model FROM key_use_parts WHERE pass_model IS NOT NULL`,
  `INSERT INTO key_use_day
SELECT u.workspace, u.start, u.key, coalesce(m.id, u.model), CASE WHEN m.id <> u.model THEN u.model ELSE 0 END, t.id,
  sum(u.calls), sum(u.failed_calls), sum(u.cost), sum(u.uncertain_up_to), sum(u.input), sum(u.cache_read),
  sum(u.cache_write), sum(u.cache_write_5m), sum(u.cache_write_1h), sum(u.output), sum(u.web_searches), NULL
FROM key_use_parts u JOIN names t ON t.text = u.terms LEFT JOIN names m ON m.text = u.pass_model
GROUP BY 1, 2, 3, 4, 5, 6`,
  `INSERT INTO key_use_late
SELECT u.workspace, u.start, u.key, coalesce(m.id, u.model), CASE WHEN m.id <> u.model THEN u.model ELSE 0 END, t.id,
  sum(u.calls), sum(u.failed_calls), sum(u.cost), sum(u.uncertain_up_to), sum(u.input), sum(u.cache_read),
  sum(u.cache_write), sum(u.cache_write_5m), sum(u.cache_write_1h), sum(u.output), sum(u.web_searches), NULL
FROM key_use_parts u JOIN names t ON t.text = u.terms LEFT JOIN names m ON m.text = u.pass_model
WHERE u.late GROUP BY 1, 2, 3, 4, 5, 6`,
  'DROP TABLE key_use_parts',
  `CREATE TABLE report_rest (
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
  covered_beside INTEGER NOT NULL,
  covered_unclear INTEGER NOT NULL,
  PRIMARY KEY (workspace, day, connection, model)
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE report_settled (
  connection INTEGER NOT NULL,
  day INTEGER NOT NULL,
  workspace INTEGER NOT NULL,
  is_closed INTEGER NOT NULL,
  terms TEXT NOT NULL,
  PRIMARY KEY (connection, day)
) STRICT, WITHOUT ROWID`,
  'CREATE INDEX report_settled_closed ON report_settled (day) WHERE is_closed = 1',
  `CREATE TABLE report_unsettled (
  connection INTEGER NOT NULL,
  day INTEGER NOT NULL,
  serial INTEGER NOT NULL DEFAULT (abs(random() >> 12)),
  PRIMARY KEY (connection, day)
) STRICT, WITHOUT ROWID`,
  // Ids of providers are random: by the hour, what is inserted next to each other stands next to each other.
  `CREATE INDEX entries_request ON entries (workspace, began_at / 3600000, substr(request_id, -8))
  WHERE request_id IS NOT NULL`,
  `CREATE INDEX entries_response ON entries (workspace, began_at / 3600000, substr(response_id, -8))
  WHERE response_id IS NOT NULL`,
  `CREATE INDEX entries_session ON entries (workspace, substr(session_hash, 1, 16), began_at)
  WHERE session_hash IS NOT NULL`,
  'ALTER TABLE session_records ADD COLUMN unpriced_uses INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE session_hour ADD COLUMN unpriced_uses INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE session_day ADD COLUMN unpriced_uses INTEGER NOT NULL DEFAULT 0',
  'DROP INDEX session_records_unpriced',
  `CREATE INDEX session_records_unpriced ON session_records (workspace)
  WHERE unpriced_calls + unpriced_uses > 0`,
  `INSERT OR IGNORE INTO session_unsettled
SELECT DISTINCT workspace, session FROM session_records WHERE unpriced_calls > 0`,
];
