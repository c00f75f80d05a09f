/**
 * Counters of limits, what a call counts under, and what limits count beyond the reported usage.
 *
 * `touched` of an entry is a JSON list, four items for each counter: number, unit, start of the window, value; null =
 * none. `resolved` entries were uncertain until somebody said what they used. `counters` holds what limits have counted;
 * `counter_pasts` which entries a limit found when it came (as JSON, see `Past`), and `counter_releases` up to when the
 * uncertain parts of entries were taken out again.
 *
 * In the roll-ups of before, `uncertain_input_tokens`, `uncertain_output_tokens` and `unpriced_up_to` are added up from
 * the uncertain and unpriced entries that are still there.
 */
export const entries002: readonly string[] = [
  'ALTER TABLE entries ADD COLUMN touched TEXT',
  'ALTER TABLE entries ADD COLUMN resolved INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE entries ADD COLUMN unpriced_up_to INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE entries ADD COLUMN uncertain_input_tokens INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE entries ADD COLUMN uncertain_output_tokens INTEGER NOT NULL DEFAULT 0',
  `UPDATE entries SET uncertain_input_tokens = counted_input - input_tokens,
  uncertain_output_tokens = counted_output - output_tokens WHERE uncertain_calls = 1 AND sent = 1`,
  `UPDATE entries SET unpriced_up_to = coalesce(counted_usd, 0)
  WHERE id IN (SELECT entry FROM unpriced) AND cost IS NULL AND sent = 1`,
  'DROP INDEX entries_uncertain',
  'CREATE INDEX entries_uncertain ON entries (workspace, began_at) WHERE uncertain_calls = 1 AND resolved = 0',
  `CREATE INDEX entries_uncertain_end ON entries (workspace, ended_at)
  WHERE uncertain_calls = 1 AND resolved = 0`,
  'ALTER TABLE adjustments ADD COLUMN resolved_input INTEGER',
  'ALTER TABLE adjustments ADD COLUMN resolved_output INTEGER',
  'ALTER TABLE adjustments ADD COLUMN input_moved INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE adjustments ADD COLUMN cache_read_moved INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE adjustments ADD COLUMN cache_write_moved INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE adjustments ADD COLUMN output_moved INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE adjustments ADD COLUMN uncertain_calls_moved INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE adjustments ADD COLUMN unpriced_up_to_moved INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE adjustments ADD COLUMN uncertain_input_moved INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE adjustments ADD COLUMN uncertain_output_moved INTEGER NOT NULL DEFAULT 0',
  'DROP VIEW details',
  `CREATE VIEW details AS
SELECT workspace, began_at AS start, source, key, provider, model, status, tags,
  1 AS calls, failed_calls, coalesce(cost, 0) AS cost, input_tokens, cache_read_tokens, cache_write_tokens,
  output_tokens, unpriced_calls, uncertain_calls, uncertain_up_to, unpriced_up_to, uncertain_input_tokens,
  uncertain_output_tokens
FROM entries WHERE sent = 1
UNION ALL
SELECT a.workspace, a.began_at, e.source, e.key, e.provider, e.model, e.status, e.tags,
  0, 0, a.cost_moved, a.input_moved, a.cache_read_moved, a.cache_write_moved,
  a.output_moved, a.unpriced_moved, a.uncertain_calls_moved, a.uncertain_moved, a.unpriced_up_to_moved,
  a.uncertain_input_moved, a.uncertain_output_moved
FROM adjustments a JOIN entries e ON e.id = a.entry WHERE e.sent = 1`,
  'ALTER TABLE status_hour ADD COLUMN unpriced_up_to INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE status_hour ADD COLUMN uncertain_input_tokens INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE status_hour ADD COLUMN uncertain_output_tokens INTEGER NOT NULL DEFAULT 0',
  `UPDATE status_hour SET (uncertain_input_tokens, uncertain_output_tokens) = (
  SELECT coalesce(sum(e.uncertain_input_tokens), 0), coalesce(sum(e.uncertain_output_tokens), 0) FROM entries e
  WHERE e.uncertain_calls = 1 AND e.resolved = 0 AND e.sent = 1 AND e.workspace = status_hour.workspace
    AND e.began_at >= status_hour.start AND e.began_at < status_hour.start + 3600000 AND e.status = status_hour.status AND e.provider = status_hour.provider AND e.source = status_hour.source
) WHERE uncertain_calls > 0`,
  `UPDATE status_hour SET unpriced_up_to = (
  SELECT coalesce(sum(e.unpriced_up_to), 0) FROM unpriced u CROSS JOIN entries e ON e.id = u.entry
  WHERE u.workspace = status_hour.workspace AND u.began_at >= status_hour.start AND u.began_at < status_hour.start + 3600000
    AND e.status = status_hour.status AND e.provider = status_hour.provider AND e.source = status_hour.source
) WHERE unpriced_calls > 0`,
  'ALTER TABLE status_day ADD COLUMN unpriced_up_to INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE status_day ADD COLUMN uncertain_input_tokens INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE status_day ADD COLUMN uncertain_output_tokens INTEGER NOT NULL DEFAULT 0',
  `UPDATE status_day SET (uncertain_input_tokens, uncertain_output_tokens) = (
  SELECT coalesce(sum(e.uncertain_input_tokens), 0), coalesce(sum(e.uncertain_output_tokens), 0) FROM entries e
  WHERE e.uncertain_calls = 1 AND e.resolved = 0 AND e.sent = 1 AND e.workspace = status_day.workspace
    AND e.began_at >= status_day.start AND e.began_at < status_day.start + 86400000 AND e.status = status_day.status AND e.provider = status_day.provider AND e.source = status_day.source
) WHERE uncertain_calls > 0`,
  `UPDATE status_day SET unpriced_up_to = (
  SELECT coalesce(sum(e.unpriced_up_to), 0) FROM unpriced u CROSS JOIN entries e ON e.id = u.entry
  WHERE u.workspace = status_day.workspace AND u.began_at >= status_day.start AND u.began_at < status_day.start + 86400000
    AND e.status = status_day.status AND e.provider = status_day.provider AND e.source = status_day.source
) WHERE unpriced_calls > 0`,
  'ALTER TABLE model_hour ADD COLUMN unpriced_up_to INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE model_hour ADD COLUMN uncertain_input_tokens INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE model_hour ADD COLUMN uncertain_output_tokens INTEGER NOT NULL DEFAULT 0',
  `UPDATE model_hour SET (uncertain_input_tokens, uncertain_output_tokens) = (
  SELECT coalesce(sum(e.uncertain_input_tokens), 0), coalesce(sum(e.uncertain_output_tokens), 0) FROM entries e
  WHERE e.uncertain_calls = 1 AND e.resolved = 0 AND e.sent = 1 AND e.workspace = model_hour.workspace
    AND e.began_at >= model_hour.start AND e.began_at < model_hour.start + 3600000 AND e.model = model_hour.model AND e.provider = model_hour.provider AND e.source = model_hour.source
) WHERE uncertain_calls > 0`,
  `UPDATE model_hour SET unpriced_up_to = (
  SELECT coalesce(sum(e.unpriced_up_to), 0) FROM unpriced u CROSS JOIN entries e ON e.id = u.entry
  WHERE u.workspace = model_hour.workspace AND u.began_at >= model_hour.start AND u.began_at < model_hour.start + 3600000
    AND e.model = model_hour.model AND e.provider = model_hour.provider AND e.source = model_hour.source
) WHERE unpriced_calls > 0`,
  'ALTER TABLE model_day ADD COLUMN unpriced_up_to INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE model_day ADD COLUMN uncertain_input_tokens INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE model_day ADD COLUMN uncertain_output_tokens INTEGER NOT NULL DEFAULT 0',
  `UPDATE model_day SET (uncertain_input_tokens, uncertain_output_tokens) = (
  SELECT coalesce(sum(e.uncertain_input_tokens), 0), coalesce(sum(e.uncertain_output_tokens), 0) FROM entries e
  WHERE e.uncertain_calls = 1 AND e.resolved = 0 AND e.sent = 1 AND e.workspace = model_day.workspace
    AND e.began_at >= model_day.start AND e.began_at < model_day.start + 86400000 AND e.model = model_day.model AND e.provider = model_day.provider AND e.source = model_day.source
) WHERE uncertain_calls > 0`,
  `UPDATE model_day SET unpriced_up_to = (
  SELECT coalesce(sum(e.unpriced_up_to), 0) FROM unpriced u CROSS JOIN entries e ON e.id = u.entry
  WHERE u.workspace = model_day.workspace AND u.began_at >= model_day.start AND u.began_at < model_day.start + 86400000
    AND e.model = model_day.model AND e.provider = model_day.provider AND e.source = model_day.source
) WHERE unpriced_calls > 0`,
  'ALTER TABLE key_hour ADD COLUMN unpriced_up_to INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE key_hour ADD COLUMN uncertain_input_tokens INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE key_hour ADD COLUMN uncertain_output_tokens INTEGER NOT NULL DEFAULT 0',
  `UPDATE key_hour SET (uncertain_input_tokens, uncertain_output_tokens) = (
  SELECT coalesce(sum(e.uncertain_input_tokens), 0), coalesce(sum(e.uncertain_output_tokens), 0) FROM entries e
  WHERE e.uncertain_calls = 1 AND e.resolved = 0 AND e.sent = 1 AND e.workspace = key_hour.workspace
    AND e.began_at >= key_hour.start AND e.began_at < key_hour.start + 3600000 AND e.key = key_hour.key AND e.source = key_hour.source
) WHERE uncertain_calls > 0`,
  `UPDATE key_hour SET unpriced_up_to = (
  SELECT coalesce(sum(e.unpriced_up_to), 0) FROM unpriced u CROSS JOIN entries e ON e.id = u.entry
  WHERE u.workspace = key_hour.workspace AND u.began_at >= key_hour.start AND u.began_at < key_hour.start + 3600000
    AND e.key = key_hour.key AND e.source = key_hour.source
) WHERE unpriced_calls > 0`,
  'ALTER TABLE key_day ADD COLUMN unpriced_up_to INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE key_day ADD COLUMN uncertain_input_tokens INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE key_day ADD COLUMN uncertain_output_tokens INTEGER NOT NULL DEFAULT 0',
  `UPDATE key_day SET (uncertain_input_tokens, uncertain_output_tokens) = (
  SELECT coalesce(sum(e.uncertain_input_tokens), 0), coalesce(sum(e.uncertain_output_tokens), 0) FROM entries e
  WHERE e.uncertain_calls = 1 AND e.resolved = 0 AND e.sent = 1 AND e.workspace = key_day.workspace
    AND e.began_at >= key_day.start AND e.began_at < key_day.start + 86400000 AND e.key = key_day.key AND e.source = key_day.source
) WHERE uncertain_calls > 0`,
  `UPDATE key_day SET unpriced_up_to = (
  SELECT coalesce(sum(e.unpriced_up_to), 0) FROM unpriced u CROSS JOIN entries e ON e.id = u.entry
  WHERE u.workspace = key_day.workspace AND u.began_at >= key_day.start AND u.began_at < key_day.start + 86400000
    AND e.key = key_day.key AND e.source = key_day.source
) WHERE unpriced_calls > 0`,
  'ALTER TABLE key_model_hour ADD COLUMN unpriced_up_to INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE key_model_hour ADD COLUMN uncertain_input_tokens INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE key_model_hour ADD COLUMN uncertain_output_tokens INTEGER NOT NULL DEFAULT 0',
  `UPDATE key_model_hour SET (uncertain_input_tokens, uncertain_output_tokens) = (
  SELECT coalesce(sum(e.uncertain_input_tokens), 0), coalesce(sum(e.uncertain_output_tokens), 0) FROM entries e
  WHERE e.uncertain_calls = 1 AND e.resolved = 0 AND e.sent = 1 AND e.workspace = key_model_hour.workspace
    AND e.began_at >= key_model_hour.start AND e.began_at < key_model_hour.start + 3600000 AND e.key = key_model_hour.key AND e.model = key_model_hour.model AND e.provider = key_model_hour.provider AND e.source = key_model_hour.source
) WHERE uncertain_calls > 0`,
  `UPDATE key_model_hour SET unpriced_up_to = (
  SELECT coalesce(sum(e.unpriced_up_to), 0) FROM unpriced u CROSS JOIN entries e ON e.id = u.entry
  WHERE u.workspace = key_model_hour.workspace AND u.began_at >= key_model_hour.start AND u.began_at < key_model_hour.start + 3600000
    AND e.key = key_model_hour.key AND e.model = key_model_hour.model AND e.provider = key_model_hour.provider AND e.source = key_model_hour.source
) WHERE unpriced_calls > 0`,
  'ALTER TABLE key_model_day ADD COLUMN unpriced_up_to INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE key_model_day ADD COLUMN uncertain_input_tokens INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE key_model_day ADD COLUMN uncertain_output_tokens INTEGER NOT NULL DEFAULT 0',
  `UPDATE key_model_day SET (uncertain_input_tokens, uncertain_output_tokens) = (
  SELECT coalesce(sum(e.uncertain_input_tokens), 0), coalesce(sum(e.uncertain_output_tokens), 0) FROM entries e
  WHERE e.uncertain_calls = 1 AND e.resolved = 0 AND e.sent = 1 AND e.workspace = key_model_day.workspace
    AND e.began_at >= key_model_day.start AND e.began_at < key_model_day.start + 86400000 AND e.key = key_model_day.key AND e.model = key_model_day.model AND e.provider = key_model_day.provider AND e.source = key_model_day.source
) WHERE uncertain_calls > 0`,
  `UPDATE key_model_day SET unpriced_up_to = (
  SELECT coalesce(sum(e.unpriced_up_to), 0) FROM unpriced u CROSS JOIN entries e ON e.id = u.entry
  WHERE u.workspace = key_model_day.workspace AND u.began_at >= key_model_day.start AND u.began_at < key_model_day.start + 86400000
    AND e.key = key_model_day.key AND e.model = key_model_day.model AND e.provider = key_model_day.provider AND e.source = key_model_day.source
) WHERE unpriced_calls > 0`,
  'ALTER TABLE tag_hour ADD COLUMN unpriced_up_to INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE tag_hour ADD COLUMN uncertain_input_tokens INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE tag_hour ADD COLUMN uncertain_output_tokens INTEGER NOT NULL DEFAULT 0',
  `UPDATE tag_hour SET (uncertain_input_tokens, uncertain_output_tokens) = (
  SELECT coalesce(sum(e.uncertain_input_tokens), 0), coalesce(sum(e.uncertain_output_tokens), 0) FROM entries e
  WHERE e.uncertain_calls = 1 AND e.resolved = 0 AND e.sent = 1 AND e.workspace = tag_hour.workspace
    AND e.began_at >= tag_hour.start AND e.began_at < tag_hour.start + 3600000 AND e.source = tag_hour.source
    AND EXISTS (SELECT 1 FROM json_each(e.tags) t WHERE t.key = (SELECT text FROM names WHERE id = tag_hour.tag_key)
      AND t.value = (SELECT text FROM names WHERE id = tag_hour.tag_value))
) WHERE uncertain_calls > 0`,
  `UPDATE tag_hour SET unpriced_up_to = (
  SELECT coalesce(sum(e.unpriced_up_to), 0) FROM unpriced u CROSS JOIN entries e ON e.id = u.entry
  WHERE u.workspace = tag_hour.workspace AND u.began_at >= tag_hour.start AND u.began_at < tag_hour.start + 3600000
    AND e.source = tag_hour.source
    AND EXISTS (SELECT 1 FROM json_each(e.tags) t WHERE t.key = (SELECT text FROM names WHERE id = tag_hour.tag_key)
      AND t.value = (SELECT text FROM names WHERE id = tag_hour.tag_value))
) WHERE unpriced_calls > 0`,
  'ALTER TABLE tag_day ADD COLUMN unpriced_up_to INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE tag_day ADD COLUMN uncertain_input_tokens INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE tag_day ADD COLUMN uncertain_output_tokens INTEGER NOT NULL DEFAULT 0',
  `UPDATE tag_day SET (uncertain_input_tokens, uncertain_output_tokens) = (
  SELECT coalesce(sum(e.uncertain_input_tokens), 0), coalesce(sum(e.uncertain_output_tokens), 0) FROM entries e
  WHERE e.uncertain_calls = 1 AND e.resolved = 0 AND e.sent = 1 AND e.workspace = tag_day.workspace
    AND e.began_at >= tag_day.start AND e.began_at < tag_day.start + 86400000 AND e.source = tag_day.source
    AND EXISTS (SELECT 1 FROM json_each(e.tags) t WHERE t.key = (SELECT text FROM names WHERE id = tag_day.tag_key)
      AND t.value = (SELECT text FROM names WHERE id = tag_day.tag_value))
) WHERE uncertain_calls > 0`,
  `UPDATE tag_day SET unpriced_up_to = (
  SELECT coalesce(sum(e.unpriced_up_to), 0) FROM unpriced u CROSS JOIN entries e ON e.id = u.entry
  WHERE u.workspace = tag_day.workspace AND u.began_at >= tag_day.start AND u.began_at < tag_day.start + 86400000
    AND e.source = tag_day.source
    AND EXISTS (SELECT 1 FROM json_each(e.tags) t WHERE t.key = (SELECT text FROM names WHERE id = tag_day.tag_key)
      AND t.value = (SELECT text FROM names WHERE id = tag_day.tag_value))
) WHERE unpriced_calls > 0`,
  `CREATE TABLE counters (
  counter INTEGER NOT NULL,
  window_start INTEGER NOT NULL,
  value TEXT NOT NULL,
  counted INTEGER NOT NULL,
  uncertain INTEGER NOT NULL,
  PRIMARY KEY (counter, window_start, value)
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE counter_pasts (
  counter INTEGER PRIMARY KEY,
  workspace INTEGER NOT NULL,
  start INTEGER NOT NULL,
  past TEXT NOT NULL
) STRICT`,
  'CREATE INDEX counter_pasts_workspace ON counter_pasts (workspace)',
  `CREATE TABLE counter_releases (
  counter INTEGER PRIMARY KEY,
  until INTEGER NOT NULL
) STRICT`,
];
