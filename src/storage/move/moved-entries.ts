import { toCallRow, toCorrectionRow } from '../clickhouse/entry-columns.ts';
import { ENTRY_COLUMNS, type EntryRow } from '../sql/entry-rows.ts';
import type { NumberedEntry } from '../sql/entry-table.ts';
import { toNumberedEntries } from '../sql/read-entry.ts';
import { number, type ResultRow, text } from '../sql/result-row.ts';
import { OTHER } from '../sql/rollup-caps.ts';
import { ask, askEach, type SqlSteps } from '../sql/steps.ts';
import { type EntryCounts, MEASURES } from '../totals.ts';

const FOLLOWING = `SELECT ${ENTRY_COLUMNS} FROM entries e WHERE e.id > ? ORDER BY e.id LIMIT ?`;
const CORRECTIONS = 'SELECT * FROM adjustments WHERE entry = ?';
/** Source of moved calls, which has a mark like a journal. */
const MOVED = 'moved';
/** All of them are part of the ledger once the mark of their source is this. */
const POSITION = 1;
/** Marks of the sources of all moved rows. */
export const MARK_MOVED = `INSERT INTO marks (journal_id, mark)
  SELECT '${MOVED}', ${POSITION} UNION ALL SELECT 'corrections', coalesce(max(id), 0) FROM adjustments`;

/** Rows of ClickHouse for the next calls and their corrections, in order of number. */
export interface MovedEntries {
  readonly rows: readonly ResultRow[];
  readonly calls: number;
  /** Number of the last call; null = there is none. */
  readonly last: number | null;
}

/** Reads calls of PostgreSQL as rows of ClickHouse. */
export function* readMovedEntries(after: number, limit: number): SqlSteps<MovedEntries> {
  const found = yield ask(FOLLOWING, [after, limit]);
  const entries = yield* toNumberedEntries(found);
  const ids = entries.map(({ id }) => [id]);
  const corrections = Map.groupBy(yield* askEach(CORRECTIONS, ids), (row) => number(row, 'entry'));
  const rows = entries.flatMap((entry, index) => {
    const row = found[index] ?? {};
    const summedModel = row['model_text'] === null ? entry.recorded.entry.model : OTHER;
    const own = corrections.get(entry.id) ?? [];
    return [toMovedCall(entry, row), ...own.map((one) => toMovedCorrection(entry, summedModel, one))];
  });
  return { rows, calls: entries.length, last: entries.at(-1)?.id ?? null };
}

function toMovedCall({ id, recorded: { entry } }: NumberedEntry, row: ResultRow): ResultRow {
  const stored = row as unknown as EntryRow;
  return toCallRow({ entry, counts: readEntryCounts(row), row: stored }, id, {
    journalId: MOVED,
    mark: POSITION,
    markBefore: null,
  });
}

/** A call that was not sent adds nothing to sums. */
function readEntryCounts(row: ResultRow): EntryCounts {
  const isSent = row['sent'] === 1;
  return toCounts((column) => (isSent ? Number(row[column === 'calls' ? 'sent' : column] ?? 0) : 0));
}

/** The number of an adjustment is the position of its row: it is the only source of them. */
function toMovedCorrection(corrected: NumberedEntry, summedModel: string | null, row: ResultRow): ResultRow {
  const adjustmentId = text(row, 'adjustment_id');
  const adjustment = corrected.recorded.adjustments.find((one) => one.adjustmentId === adjustmentId);
  if (!adjustment) throw new Error(`The adjustment ${adjustmentId} is missing.`);
  const moved = toCounts((column) => {
    const name = MOVED_COLUMNS[column];
    return name === undefined ? 0 : number(row, name);
  });
  return toCorrectionRow({ adjustment, corrected, moved }, summedModel, number(row, 'id'));
}

/** Columns of an adjustment with the difference of a measure; a correction adds no call. */
const MOVED_COLUMNS: Readonly<Record<string, string>> = {
  cost: 'cost_moved',
  input_tokens: 'input_moved',
  cache_read_tokens: 'cache_read_moved',
  cache_write_tokens: 'cache_write_moved',
  output_tokens: 'output_moved',
  unpriced_calls: 'unpriced_moved',
  uncertain_calls: 'uncertain_calls_moved',
  uncertain_up_to: 'uncertain_moved',
  unpriced_up_to: 'unpriced_up_to_moved',
  list_beyond_cost: 'list_moved',
  contracted_beyond_cost: 'contracted_moved',
  uncertain_input_tokens: 'uncertain_input_moved',
  uncertain_output_tokens: 'uncertain_output_moved',
};

function toCounts(readColumn: (column: string) => number): EntryCounts {
  const counts = Object.entries(MEASURES).map(([name, column]) => [name, readColumn(column)]);
  return Object.fromEntries(counts) as EntryCounts;
}
