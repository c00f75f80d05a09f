import { TollbookError } from '../../domain/errors.ts';
import type { Entry } from '../../domain/usage/call.ts';
import type { CounterMove } from '../../domain/limits/limit.ts';
import { formatProvenance } from '../../domain/pricing/provenance.ts';
import { checkAdjustment, effectiveEntry, effectiveProvenance } from '../effective-entry.ts';
import { type Actor, AUDIT_HEAD, type AuditNote, auditRow, formatChainHead } from '../records/audit.ts';
import { countInUnit, moveBetween } from '../backfill.ts';
import { entryCounts, type EntryCounts } from '../totals.ts';
import { type LedgerDatabase, rollUp } from '../sqlite/ledger-database.ts';
import { listTouched, moveCounter, readBackfills, releasedUntil } from './counters.ts';
import { toEntryRow } from './entry-rows.ts';
import { readEntry } from './read-entry.ts';
import { KeyUseBatch } from './key-use.ts';
import type { RollupKind } from './rollup-kinds.ts';
import { difference, ExactSums, toMeasures } from './exact-sums.ts';
import { listUnpriced, unlistUnpriced } from './unpriced.ts';
import type { SqliteConnection } from '../sqlite/connection.ts';
import { number, text } from './result-row.ts';
import type { Adjustment, AdjustResult } from '../entry-store.ts';

const LAST_AUDIT = 'SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1';
const INSERT_AUDIT = `INSERT INTO audit (seq, at, workspace_id, actor, action, subject, "before", "after", prev_hash, hash)
  VALUES (:seq, :at, :workspace_id, :actor, :action, :subject, :before, :after, :prev_hash, :hash)`;
const MOVE_HEAD = `INSERT INTO settings (name, value) VALUES (:name, :value)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

/** Writes the next row of the audit chain in the open transaction. */
function writeAuditRow(connection: SqliteConnection, at: number, actor: Actor, note: AuditNote): void {
  const last = connection.statement(LAST_AUDIT).get();
  const row = auditRow(last && { seq: number(last, 'seq'), hash: text(last, 'hash') }, at, actor, note);
  connection.statement(INSERT_AUDIT).run({ ...row });
  connection.statement(MOVE_HEAD).run({ name: AUDIT_HEAD, value: formatChainHead(row) });
}

const KNOWN = 'SELECT 1 FROM adjustments WHERE adjustment_id = ?';
const NUMBER = 'SELECT id FROM entries WHERE call_id = ?';
const RESOLVE = 'UPDATE entries SET resolved = 1 WHERE id = ?';
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
const INSERT = `INSERT INTO adjustments (${INSERTED.join(', ')}) VALUES (${INSERTED.map(() => '?').join(', ')})`;

export async function adjustEntries(
  ledger: LedgerDatabase,
  adjustments: readonly Adjustment[],
  by?: Actor,
): Promise<AdjustResult> {
  return await ledger.write(() => {
    const moved = new ExactSums<RollupKind>();
    const keys = new KeyUseBatch(ledger);
    const moves: CounterMove[] = [];
    let inserted = 0;
    for (const adjustment of adjustments) {
      if (ledger.connection.statement(KNOWN).get(adjustment.adjustmentId)) continue;
      moves.push(...adjustOne(ledger, adjustment, moved, keys));
      if (by !== undefined) writeAuditRow(ledger.connection, adjustment.recordedAt, by, auditNote(adjustment));
      inserted += 1;
    }
    keys.write();
    rollUp(ledger, moved);
    return { inserted, moves };
  });
}

function adjustOne(
  ledger: LedgerDatabase,
  adjustment: Adjustment,
  allMoved: ExactSums<RollupKind>,
  keys: KeyUseBatch,
): CounterMove[] {
  const recorded = readEntry(ledger, adjustment.workspaceId, adjustment.callId);
  if (!recorded) throw new TollbookError('not_found', `There is no entry ${adjustment.callId} to adjust.`);
  checkAdjustment(adjustment, recorded);
  const before = effectiveEntry(recorded);
  const after = effectiveEntry({ entry: recorded.entry, adjustments: [...recorded.adjustments, adjustment] });
  const counts = entryCounts(after);
  const moved = difference(counts, entryCounts(before));
  const workspace = ledger.names.id(adjustment.workspaceId);
  const { startedAt } = before;
  const id = Number(ledger.connection.statement(NUMBER).get(adjustment.callId)?.['id']);
  insertAdjustment(ledger, adjustment, { workspace, startedAt, id }, moved);
  if (adjustment.resolved) ledger.connection.statement(RESOLVE).run(id);
  const list = moved.unpricedCalls > 0 ? listUnpriced : unlistUnpriced;
  if (moved.unpricedCalls !== 0) list(ledger.connection, workspace, startedAt, id);
  if (counts.calls === 1)
    allMoved.add(ledger.kinds.of(toEntryRow(recorded.entry, counts, ledger), recorded.entry), toMeasures(moved));
  keys.add(before, effectiveProvenance(recorded), -1);
  keys.add(after, adjustment.provenance);
  return moveEntryCounters(ledger, id, before, after);
}

function moveEntryCounters(ledger: LedgerDatabase, id: number, before: Entry, after: Entry): CounterMove[] {
  return listTouched(after, id, readBackfills(ledger, after.workspaceId)).flatMap((counterRef) => {
    const isReleased = after.endedAt < releasedUntil(ledger, counterRef.counter);
    const [was, is] = [
      countInUnit(counterRef.unit, before, isReleased),
      countInUnit(counterRef.unit, after, isReleased),
    ];
    const move = moveBetween(counterRef, was, is);
    if (move) moveCounter(ledger.connection, move, after.startedAt);
    return move ?? [];
  });
}

function auditNote({ callId, workspaceId, costBefore, costAfter, resolved }: Adjustment): AuditNote {
  const before = { cost: costBefore };
  return { workspaceId, action: 'entry.resolve', subject: callId, before, after: { cost: costAfter, ...resolved } };
}

function insertAdjustment(
  { connection }: LedgerDatabase,
  adjustment: Adjustment,
  { workspace, startedAt, id }: Record<'workspace' | 'startedAt' | 'id', number>,
  moved: EntryCounts,
): void {
  connection
    .statement(INSERT)
    .run(
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
    );
}
