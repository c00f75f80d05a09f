/**
 * Sessions of coding assistants, by the hash of their id. `session_use` is what their calls through the gate used, by
 * UTC hour, model and terms; it outlives its entries. `session_records` are the records that were uploaded (`counts` is
 * the rest of a record, as JSON), each with what it holds beyond those calls. The roll-ups add that up.
 * `session_unsettled` lists sessions of which this is to be worked out anew. `session_models` bounds the models.
 */
export const entries004: readonly string[] = [
  `CREATE TABLE session_use (
  workspace INTEGER NOT NULL,
  session TEXT NOT NULL,
  start INTEGER NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  asked TEXT NOT NULL,
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
  PRIMARY KEY (workspace, session, start, provider, model, asked, speed, tier, geo, step)
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
  unpriced_calls INTEGER NOT NULL
) STRICT`,
  'CREATE INDEX session_records_session ON session_records (workspace, session, model)',
  'CREATE INDEX session_records_unpriced ON session_records (workspace) WHERE unpriced_calls > 0',
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
  PRIMARY KEY (workspace, start, source, token, model)
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE session_unsettled (
  workspace INTEGER NOT NULL,
  session TEXT NOT NULL,
  PRIMARY KEY (workspace, session)
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE session_models (
  workspace INTEGER NOT NULL,
  model INTEGER NOT NULL,
  PRIMARY KEY (workspace, model)
) STRICT, WITHOUT ROWID`,
  `INSERT INTO session_use
SELECT e.workspace, e.session_hash, e.began_at - e.began_at % 3600000,
  (SELECT text FROM names WHERE id = e.provider),
  coalesce(i.value ->> 'model', e.model_text, m.text),
  coalesce(i.value ->> 'model', e.asked_model_text, a.text, e.model_text, m.text),
  CASE coalesce(e.usage ->> '$.terms.speed', 'standard') WHEN 'standard' THEN '' WHEN 'fast' THEN 'fast' ELSE 'other' END,
  CASE WHEN e.usage ->> '$.terms.tier' IN ('batch', 'flex', 'priority') THEN e.usage ->> '$.terms.tier' ELSE '' END,
  CASE WHEN e.usage ->> '$.terms.geo' = 'us' THEN 'us' ELSE '' END,
  CASE WHEN i.value ->> 'promptTokens' > 272000 THEN 272000 WHEN i.value ->> 'promptTokens' > 256000 THEN 256000
    WHEN i.value ->> 'promptTokens' > 200000 THEN 200000 WHEN i.value ->> 'promptTokens' > 128000 THEN 128000
    WHEN i.value ->> 'promptTokens' > 100000 THEN 100000 ELSE 0 END,
  sum(coalesce(i.value ->> '$.tokens.input', 0) + coalesce(i.value ->> '$.tokens.inputAudio', 0)
    + coalesce(i.value ->> '$.tokens.inputImage', 0)),
  sum(coalesce(i.value ->> '$.tokens.cacheRead', 0) + coalesce(i.value ->> '$.tokens.cacheReadAudio', 0)),
  sum(coalesce(i.value ->> '$.tokens.cacheWrite', 0) + coalesce(i.value ->> '$.tokens.cacheWrite12h', 0)),
  sum(coalesce(i.value ->> '$.tokens.cacheWrite5m', 0)),
  sum(coalesce(i.value ->> '$.tokens.cacheWrite1h', 0)),
  sum(coalesce(i.value ->> '$.tokens.output', 0) + coalesce(i.value ->> '$.tokens.outputAudio', 0)
    + coalesce(i.value ->> '$.tokens.outputImage', 0)),
  sum(CASE i.key WHEN 0 THEN coalesce(e.usage ->> '$.uses.webSearch', 0) ELSE 0 END),
  sum(i.key = 0)
FROM entries e CROSS JOIN json_each(e.usage, '$.inferences') i
LEFT JOIN names m ON m.id = e.model LEFT JOIN names a ON a.id = e.asked_model
WHERE e.session_hash IS NOT NULL AND e.usage IS NOT NULL AND e.sent = 1
  AND coalesce(e.model_text, m.text) IS NOT NULL AND e.source = (SELECT id FROM names WHERE text = 'proxy')
GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10`,
];
