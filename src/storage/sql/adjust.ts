import { TollbookError } from '../../domain/errors.ts';
import type { Entry } from '../../domain/usage/call.ts';
import type { CounterMove } from '../../domain/limits/limit.ts';
import { formatProvenance } from '../../domain/pricing/provenance.ts';
import { checkAdjustment, effectiveEntry, effectiveProvenance } from '../effective-entry.ts';
import { type Actor, AUDIT_HEAD, type AuditNote, auditRow, formatChainHead } from '../records/audit.ts';
import { countInUnit, moveBetween } from '../backfill.ts';
import { entryCounts, type EntryCounts } from '../totals.ts';
import { rollUp } from './roll-up.ts';
import type { SqlLedger } from './sql-ledger.ts';
import type { SqlContext } from './entry-reader.ts';
import { ask, change, insertRows, type RowInsert, type SqlSteps } from './steps.ts';
import { listTouched, moveCounter, readBackfills, releasedUntil } from './counters.ts';
import { toEntryRows } from './entry-rows.ts';
import { readEntry } from './read-entry.ts';
import { KeyUseBatch } from './key-use.ts';
import type { RollupKind } from './rollup-kinds.ts';
import { difference, ExactSums, toMeasures } from './exact-sums.ts';
import { listUnpriced, unlistUnpriced } from './unpriced.ts';
import { number, text } from './result-row.ts';
import type { Adjustment, AdjustResult } from '../entry-store.ts';

const LAST_AUDIT = 'SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1';
const INSERT_AUDIT = `INSERT INTO audit (seq, at, workspace_id, actor, action, subject, "before", "after", prev_hash, hash)
  VALUES (:seq, :at, :workspace_id, :actor, :action, :subject, :before, :after, :prev_hash, :hash)`;
const MOVE_HEAD = `INSERT INTO settings (name, value) VALUES (:name, :value)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

/** Writes the next row of the audit chain in the open transaction. */
function* writeAuditRow({ dialect }: SqlContext, at: number, actor: Actor, note: AuditNote): SqlSteps<void> {
  if (dialect.lockRecords !== null) yield ask(dialect.lockRecords);
  const [last] = yield ask(LAST_AUDIT);
  const row = auditRow(last && { seq: number(last, 'seq'), hash: text(last, 'hash') }, at, actor, note);
  yield* change(INSERT_AUDIT, { ...row });
  yield* change(MOVE_HEAD, { name: AUDIT_HEAD, value: formatChainHead(row) });
}

const KNOWN = 'SELECT 1 FROM adjustments WHERE adjustment_id = ?';
const NUMBER = 'SELECT id FROM entries WHERE call_id = ? AND started_at = ?';
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
  'cost_moved',
  'unpriced_moved',
  'uncertain_moved',
  'input_moved',
  'cache_read_moved',
  'cache_write_moved',
  'output_moved',
  'uncertain_calls_moved',
  'unpriced_up_to_moved',
  'uncertain_input_moved',
  'uncertain_output_moved',
];
const INSERT: RowInsert = {
  table: 'adjustments',
  columns: INSERTED,
  keyColumns: 1,
  onConflict: '',
  returning: [],
};

export function* adjustEntries(
  ledger: SqlLedger,
  adjustments: readonly Adjustment[],
  by?: Actor,
): SqlSteps<AdjustResult> {
  const moved = new ExactSums<RollupKind>();
  const keys = new KeyUseBatch(ledger);
  const moves: CounterMove[] = [];
  let inserted = 0;
  for (const adjustment of adjustments) {
    const [known] = yield ask(KNOWN, [adjustment.adjustmentId]);
    if (known) continue;
    moves.push(...(yield* adjustOne(ledger, adjustment, moved, keys)));
    if (by !== undefined) yield* writeAuditRow(ledger, adjustment.recordedAt, by, auditNote(adjustment));
    inserted += 1;
  }
  yield* keys.write();
  yield* rollUp(ledger, moved);
  return { inserted, moves };
}

function* adjustOne(
  ledger: SqlLedger,
  adjustment: Adjustment,
  allMoved: ExactSums<RollupKind>,
  keys: KeyUseBatch,
): SqlSteps<CounterMove[]> {
  const recorded = yield* readEntry(ledger, adjustment.workspaceId, adjustment.callId);
  if (!recorded) throw new TollbookError('not_found', `There is no entry ${adjustment.callId} to adjust.`);
  checkAdjustment(adjustment, recorded);
  const { entry } = recorded;
  const before = effectiveEntry(recorded);
  const after = effectiveEntry({ entry, adjustments: [...recorded.adjustments, adjustment] });
  const counts = entryCounts(after);
  const moved = difference(counts, entryCounts(before));
  const workspace = yield* ledger.names.id(adjustment.workspaceId);
  const { startedAt } = before;
  const [found] = yield ask(NUMBER, [adjustment.callId, startedAt]);
  const id = number(found ?? {}, 'id');
  yield* insertAdjustment(adjustment, { workspace, startedAt, id }, moved);
  if (adjustment.resolved) yield* change(RESOLVE, [id, startedAt]);
  const place = [workspace, startedAt, id] as const;
  if (moved.unpricedCalls > 0) yield* listUnpriced([place]);
  if (moved.unpricedCalls < 0) yield* unlistUnpriced(place);
  if (counts.calls === 1) {
    const [row] = yield* toEntryRows(ledger, [{ entry, counts }]);
    const [kind] = row ? yield* ledger.kinds.of([{ row, entry }]) : [];
    if (kind) allMoved.add(kind, toMeasures(moved));
  }
  keys.add(before, effectiveProvenance(recorded), -1);
  keys.add(after, adjustment.provenance);
  return yield* moveEntryCounters(ledger, id, before, after);
}

function* moveEntryCounters({ names }: SqlContext, id: number, before: Entry, after: Entry): SqlSteps<CounterMove[]> {
  const moves: CounterMove[] = [];
  for (const counterRef of listTouched(after, id, yield* readBackfills(names, after.workspaceId))) {
    const isReleased = after.endedAt < (yield* releasedUntil(counterRef.counter));
    const was = countInUnit(counterRef.unit, before, isReleased);
    const is = countInUnit(counterRef.unit, after, isReleased);
    const move = moveBetween(counterRef, was, is);
    if (!move) continue;
    yield* moveCounter(move, after.startedAt);
    moves.push(move);
  }
  return moves;
}

function auditNote({ callId, workspaceId, costBefore, costAfter, resolved }: Adjustment): AuditNote {
  const before = { cost: costBefore };
  return { workspaceId, action: 'entry.resolve', subject: callId, before, after: { cost: costAfter, ...resolved } };
}

function* insertAdjustment(
  adjustment: Adjustment,
  { workspace, startedAt, id }: Record<'workspace' | 'startedAt' | 'id', number>,
  moved: EntryCounts,
): SqlSteps<void> {
  yield* insertRows(INSERT, [
    [
      adjustment.adjustmentId,
      id,
      workspace,
      startedAt,
      adjustment.recordedAt,
      adjustment.costBefore,
      adjustment.costAfter,
      formatProvenance(adjustment.provenance),
      adjustment.reason,
      adjustment.resolved?.inputTokens ?? null,
      adjustment.resolved?.outputTokens ?? null,
      adjustment.resolved?.usage ? JSON.stringify(adjustment.resolved.usage) : null,
      moved.cost,
      moved.unpricedCalls,
      moved.uncertainUpTo,
      moved.inputTokens,
      moved.cacheReadTokens,
      moved.cacheWriteTokens,
      moved.outputTokens,
      moved.uncertainCalls,
      moved.unpricedUpTo,
      moved.uncertainInputTokens,
      moved.uncertainOutputTokens,
    ],
  ]);
}
