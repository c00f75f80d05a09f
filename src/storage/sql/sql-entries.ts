import type { Period } from '../../domain/time/period.ts';
import { formatProvenance } from '../../domain/pricing/provenance.ts';
import type { Adjustment } from '../entry-store.ts';
import { readParents } from './agent-parents.ts';
import { readCallHolds } from './call-holds.ts';
import { readEntriesPage } from './entries-page.ts';
import { SESSION } from './entry-reader.ts';
import { COLUMNS, ENTRY_COLUMNS } from './entry-rows.ts';
import type {
  KeyBounds,
  EntryCorrection,
  EntryPlace,
  EntryTable,
  NewEntry,
  NumberedEntry,
  UncertainCount,
  SqlContext,
} from './entry-table.ts';
import { findByProviderId } from './find-entries.ts';
import { perDialect } from './dialect.ts';
import { readObservedEntries } from './observed-entries.ts';
import { deleteEntries } from './prune-entries.ts';
import { readEntry, toNumberedEntries } from './read-entry.ts';
import { sumRequestedModels } from './requested-models.ts';
import { number, numberOrNull, text } from './result-row.ts';
import { listSessionsBeginning } from './sessions-beginning.ts';
import { ask, change, insertRows, type RowInsert, type SqlSteps, type SqlValue } from './steps.ts';
import { sumEntries, sumNewestEntries } from './sum-range.ts';
import { listUnpriced, unlistUnpriced } from './unpriced.ts';

const INSERT: RowInsert = {
  table: 'entries',
  columns: COLUMNS,
  // In the order of the batch, because pages list the newest first. No other process writes these calls.
  keyColumns: 0,
  onConflict: 'ON CONFLICT DO NOTHING',
  returning: ['id', 'call_id'],
};

function* insertEntryRows(entries: readonly NewEntry[]): SqlSteps<(number | null)[]> {
  const stored = yield* insertRows(
    INSERT,
    entries.map(({ row }) => Object.values<SqlValue>(row)),
  );
  const ids = new Map(stored.map((row) => [text(row, 'call_id'), number(row, 'id')]));
  const numbers = entries.map(({ entry: { callId } }) => {
    const id = ids.get(callId) ?? null;
    // A call that a batch has twice was inserted once.
    ids.delete(callId);
    return id;
  });
  const unpriced = entries.flatMap(({ row, entry, counts }, index) => {
    const id = numbers[index] ?? null;
    return id === null || counts.unpricedCalls !== 1 ? [] : [[row.workspace, entry.startedAt, id] as const];
  });
  yield* listUnpriced(unpriced);
  return numbers;
}

const RESOLVE = 'UPDATE entries SET resolved = 1 WHERE id = ? AND started_at = ?';
const INSERTED = [
  'adjustment_id',
  'entry',
  'workspace',
  'started_at',
  'recorded_at',
  'cost_before',
  'cost_after',
  'price_version',
  'reason',
  'resolved_input',
  'resolved_output',
  'resolved_usage',
  'narrowed',
  'cost_moved',
  'unpriced_moved',
  'uncertain_moved',
  'input_moved',
  'cache_read_moved',
  'cache_write_moved',
  'output_moved',
  'uncertain_calls_moved',
  'unpriced_up_to_moved',
  'list_moved',
  'contracted_moved',
  'uncertain_input_moved',
  'uncertain_output_moved',
];
const INSERT_ADJUSTMENT: RowInsert = {
  table: 'adjustments',
  columns: INSERTED,
  keyColumns: 1,
  onConflict: '',
  returning: [],
};

function* readForCorrection(
  context: SqlContext,
  adjustments: readonly Adjustment[],
): SqlSteps<Map<string, NumberedEntry>> {
  const found = new Map<string, NumberedEntry>();
  for (const { workspaceId, callId } of adjustments) {
    const corrected = found.has(callId) ? null : yield* readEntry(context, workspaceId, callId);
    if (corrected) found.set(callId, corrected);
  }
  return found;
}

function* correctEntry({ names }: SqlContext, correction: EntryCorrection): SqlSteps<void> {
  const { adjustment, corrected, moved } = correction;
  const { startedAt } = corrected.recorded.entry;
  const workspace = yield* names.id(adjustment.workspaceId);
  const place = [workspace, startedAt, corrected.id] as const;
  yield* insertRows(INSERT_ADJUSTMENT, [toAdjustmentRow(correction, workspace)]);
  if (adjustment.resolved) yield* change(RESOLVE, [corrected.id, startedAt]);
  if (moved.unpricedCalls > 0) yield* listUnpriced([place]);
  if (moved.unpricedCalls < 0) yield* unlistUnpriced(place);
}

function toAdjustmentRow({ adjustment, corrected, moved }: EntryCorrection, workspace: number): SqlValue[] {
  const { resolved, narrowed } = adjustment;
  return [
    adjustment.adjustmentId,
    corrected.id,
    workspace,
    corrected.recorded.entry.startedAt,
    adjustment.recordedAt,
    adjustment.costBefore,
    adjustment.costAfter,
    formatProvenance(adjustment.provenance),
    adjustment.reason,
    resolved?.inputTokens ?? null,
    resolved?.outputTokens ?? null,
    resolved?.usage ? JSON.stringify(resolved.usage) : null,
    narrowed ? JSON.stringify(narrowed) : null,
    moved.cost,
    moved.unpricedCalls,
    moved.uncertainUpTo,
    moved.inputTokens,
    moved.cacheReadTokens,
    moved.cacheWriteTokens,
    moved.outputTokens,
    moved.uncertainCalls,
    moved.unpricedUpTo,
    moved.listBeyondCost,
    moved.contractedBeyondCost,
    moved.uncertainInputTokens,
    moved.uncertainOutputTokens,
  ];
}

const NEWEST = 'SELECT coalesce(max(id), 0) AS id FROM entries';

function* readNewest(): SqlSteps<number> {
  const [newest] = yield ask(NEWEST);
  return number(newest ?? {}, 'id');
}

const NEWEST_START = 'SELECT coalesce(max(started_at), 0) AS start FROM entries WHERE workspace = ?';

function* readNewestStart({ names }: SqlContext, workspaceId: string): SqlSteps<number> {
  const workspace = yield* names.find(workspaceId);
  if (workspace === undefined) return 0;
  const [row = {}] = yield ask(NEWEST_START, [workspace]);
  return number(row, 'start');
}

const FOLLOWING = `SELECT ${ENTRY_COLUMNS} FROM entries e
  WHERE workspace = :workspace AND started_at >= :start AND started_at < :end AND (started_at, id) > (:start, :after)
  ORDER BY started_at, id LIMIT :limit`;

function* readFollowing(
  { names }: SqlContext,
  workspaceId: string,
  { end }: Period,
  { startedAt, id }: EntryPlace,
  limit: number,
): SqlSteps<NumberedEntry[]> {
  const workspace = yield* names.find(workspaceId);
  if (workspace === undefined) return [];
  return yield* toNumberedEntries(yield ask(FOLLOWING, { workspace, start: startedAt, after: id, end, limit }));
}

const SKIP = perDialect((dialect) => {
  const { condition, indexed } = SESSION(dialect);
  return { all: skipEntries('entries e'), ofSession: skipEntries(`entries e ${indexed}`, condition) };
});

function skipEntries(from: string, condition = 'TRUE'): string {
  return `SELECT 1 FROM ${from} WHERE workspace = :workspace AND ${condition}
    AND started_at >= :start AND started_at < :end ORDER BY started_at LIMIT 1 OFFSET :skip`;
}

function* hasMoreThan(
  { names, dialect }: SqlContext,
  workspaceId: string,
  { start, end }: Period,
  entries: number,
  session?: string,
): SqlSteps<boolean> {
  const workspace = yield* names.find(workspaceId);
  if (workspace === undefined) return false;
  const given = { workspace, start, end, skip: entries };
  const { all, ofSession } = SKIP(dialect);
  const found = yield session === undefined ? ask(all, given) : ask(ofSession, { ...given, session });
  return found.length > 0;
}

const KEY_BOUNDS = `SELECT min(started_at) AS first, max(started_at) AS last FROM entries
  WHERE workspace = :workspace AND started_at >= :start AND started_at < :end AND key = :key AND sent = 1`;

function* readKeyBounds(
  { names }: SqlContext,
  workspaceId: string,
  keyId: string,
  { start, end }: Period,
): SqlSteps<KeyBounds> {
  const [workspace, key] = [yield* names.find(workspaceId), yield* names.find(keyId)];
  if (workspace === undefined || key === undefined) return { first: null, last: null };
  const [row = {}] = yield ask(KEY_BOUNDS, { workspace, key, start, end });
  return { first: numberOrNull(row, 'first'), last: numberOrNull(row, 'last') };
}

const ARE_UNCERTAIN = `workspace = :workspace AND uncertain_calls = 1 AND resolved = 0
  AND ended_at >= :start AND ended_at < :end`;
const COUNT_UNCERTAIN = `SELECT count(*) AS entries, coalesce(max(ended_at), 0) AS last FROM (
  SELECT ended_at FROM entries WHERE ${ARE_UNCERTAIN} ORDER BY ended_at LIMIT :limit) AS next`;
const UNCERTAIN = `SELECT ${ENTRY_COLUMNS} FROM entries e WHERE ${ARE_UNCERTAIN} ORDER BY ended_at, id`;

function* countUncertain(
  { names }: SqlContext,
  workspaceId: string,
  { start, end }: Period,
  limit: number,
): SqlSteps<UncertainCount> {
  const workspace = yield* names.find(workspaceId);
  if (workspace === undefined) return { entries: 0, last: 0 };
  const [row = {}] = yield ask(COUNT_UNCERTAIN, { workspace, start, end, limit });
  return { entries: number(row, 'entries'), last: number(row, 'last') };
}

function* readUncertainEntries(
  { names }: SqlContext,
  workspaceId: string,
  { start, end }: Period,
): SqlSteps<NumberedEntry[]> {
  const workspace = yield* names.find(workspaceId);
  return workspace === undefined ? [] : yield* toNumberedEntries(yield ask(UNCERTAIN, { workspace, start, end }));
}

/** Entries and corrections in tables of the ledger's own database. */
export const SQL_ENTRIES: EntryTable = {
  needsMark: false,
  insert: (_, __, entries) => insertEntryRows(entries),
  read: readEntry,
  readCorrected: readForCorrection,
  find: findByProviderId,
  correct: correctEntry,
  prune: deleteEntries,
  newestStart: readNewestStart,
  newest: readNewest,
  page: readEntriesPage,
  following: readFollowing,
  sum: sumEntries,
  sumNewest: sumNewestEntries,
  sumRequestedModels,
  hasMoreThan,
  keyBounds: readKeyBounds,
  observed: readObservedEntries,
  callHolds: readCallHolds,
  sessionsBeginning: listSessionsBeginning,
  parents: readParents,
  countUncertain,
  uncertain: readUncertainEntries,
};
