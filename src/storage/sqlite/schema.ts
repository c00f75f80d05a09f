import { MEASURE_COLUMNS } from '../totals.ts';
import { GRAINS, ROLLUPS } from './rollups.ts';

/**
 * The tables of entries and their roll-ups, in the order in which they are made. Run by the first migration.
 *
 * Repeated words (workspaces, keys, providers, models, outcomes …) are stored once in `names`; 0 stands for null.
 * Tag sets stay in their entry as JSON, so that retention takes them away with it.
 */
const names = `CREATE TABLE names (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
) STRICT`;

const entries = `CREATE TABLE entries (
  id INTEGER PRIMARY KEY,
  call_id TEXT NOT NULL UNIQUE,
  workspace INTEGER NOT NULL,
  began_at INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  first_byte_ms INTEGER,
  source INTEGER NOT NULL,
  key INTEGER NOT NULL,
  provider INTEGER NOT NULL,
  operation INTEGER NOT NULL,
  asked_model INTEGER NOT NULL,
  model INTEGER NOT NULL,
  stream INTEGER NOT NULL,
  outcome INTEGER NOT NULL,
  doubt INTEGER NOT NULL,
  status INTEGER NOT NULL,
  usage_source INTEGER NOT NULL,
  price_version INTEGER NOT NULL,
  cost INTEGER,
  hold_usd INTEGER,
  hold_input INTEGER NOT NULL,
  hold_output INTEGER NOT NULL,
  counted_usd INTEGER,
  counted_input INTEGER NOT NULL,
  counted_output INTEGER NOT NULL,
  sent INTEGER NOT NULL,
  failed_calls INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  unpriced_calls INTEGER NOT NULL,
  uncertain_calls INTEGER NOT NULL,
  uncertain_up_to INTEGER NOT NULL,
  tags TEXT NOT NULL,
  session_hash TEXT,
  request_id TEXT,
  response_id TEXT,
  usage TEXT
) STRICT`;

const entryIndexes = [
  'CREATE INDEX entries_time ON entries (workspace, began_at)',
  'CREATE INDEX entries_uncertain ON entries (workspace, began_at) WHERE uncertain_calls = 1',
];

/** The work list of entries that wait for a price. */
const unpriced = `CREATE TABLE unpriced (
  workspace INTEGER NOT NULL,
  began_at INTEGER NOT NULL,
  entry INTEGER NOT NULL,
  PRIMARY KEY (workspace, began_at, entry)
) STRICT, WITHOUT ROWID`;

/** Corrections, with what they change in the sums of their entry's hour. */
const adjustments = [
  `CREATE TABLE adjustments (
  id INTEGER PRIMARY KEY,
  adjustment_id TEXT NOT NULL UNIQUE,
  entry INTEGER NOT NULL,
  workspace INTEGER NOT NULL,
  began_at INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL,
  cost_before INTEGER,
  cost_after INTEGER,
  price_version TEXT NOT NULL,
  reason TEXT NOT NULL,
  cost_moved INTEGER NOT NULL,
  unpriced_moved INTEGER NOT NULL,
  uncertain_moved INTEGER NOT NULL
) STRICT`,
  'CREATE INDEX adjustments_entry ON adjustments (entry)',
  'CREATE INDEX adjustments_time ON adjustments (workspace, began_at)',
];

const marks = `CREATE TABLE marks (
  journal_id TEXT PRIMARY KEY,
  mark INTEGER NOT NULL
) STRICT, WITHOUT ROWID`;

/** From which instant on a workspace's entries are all there: a whole UTC hour. Older hours live in roll-ups alone. */
const detail = `CREATE TABLE detail (
  workspace INTEGER PRIMARY KEY,
  begins_at INTEGER NOT NULL
) STRICT`;

/** Entries and their adjustments in the shape of a roll-up, for what no roll-up holds and for parts of an hour. */
const details = `CREATE VIEW details AS
SELECT workspace, began_at AS start, source, key, provider, model, status, tags,
  1 AS calls, failed_calls, coalesce(cost, 0) AS cost, input_tokens, cache_read_tokens, cache_write_tokens,
  output_tokens, unpriced_calls, uncertain_calls, uncertain_up_to
FROM entries WHERE sent = 1
UNION ALL
SELECT a.workspace, a.began_at, e.source, e.key, e.provider, e.model, e.status, e.tags,
  0, 0, a.cost_moved, 0, 0, 0, 0, a.unpriced_moved, 0, a.uncertain_moved
FROM adjustments a JOIN entries e ON e.id = a.entry WHERE e.sent = 1`;

const rollups = ROLLUPS.flatMap(({ name, primaryKey }) =>
  GRAINS.map((grain) => {
    const columns = [...primaryKey, ...MEASURE_COLUMNS].map((column) => `  ${column} INTEGER NOT NULL`);
    return `CREATE TABLE ${name}_${grain} (
${columns.join(',\n')},
  PRIMARY KEY (${primaryKey.join(', ')})
) STRICT, WITHOUT ROWID`;
  }),
);

export const entryTables: readonly string[] = [
  names,
  entries,
  ...entryIndexes,
  unpriced,
  ...adjustments,
  marks,
  detail,
  details,
  ...rollups,
];
