import { TollbookError } from '../../domain/errors.ts';
import type { Entry } from '../../domain/usage/call.ts';
import type { CounterMove } from '../../domain/limits/limit.ts';
import { checkAdjustment, effectiveEntry, effectiveProvenance } from '../effective-entry.ts';
import { type Actor, AUDIT_HEAD, type AuditNote, auditRow, formatChainHead } from '../records/audit.ts';
import { countInUnit, moveBetween } from '../backfill.ts';
import { entryCounts } from '../totals.ts';
import { rollUp } from './roll-up.ts';
import type { SqlLedger } from './sql-ledger.ts';
import { ask, change, type SqlSteps } from './steps.ts';
import { listTouched, moveCounter, readBackfills, releasedUntil } from './counters.ts';
import { toEntryRows } from './entry-rows.ts';
import type { NumberedEntry, SqlContext } from './entry-table.ts';
import { KeyUseBatch } from './key-use.ts';
import type { RollupKind } from './rollup-kinds.ts';
import { difference, ExactSums, toMeasures } from './exact-sums.ts';
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

export function* adjustEntries(
  ledger: SqlLedger,
  adjustments: readonly Adjustment[],
  by?: Actor,
): SqlSteps<AdjustResult> {
  const moved = new ExactSums<RollupKind>();
  const keys = new KeyUseBatch(ledger);
  const moves: CounterMove[] = [];
  let inserted = 0;
  const entries = yield* ledger.entries.readCorrected(ledger, adjustments);
  for (const adjustment of adjustments) {
    const corrected = entries.get(adjustment.callId);
    if (corrected?.recorded.entry.workspaceId !== adjustment.workspaceId)
      throw new TollbookError('not_found', `There is no entry ${adjustment.callId} to adjust.`);
    const { entry, adjustments: earlier } = corrected.recorded;
    if (earlier.some(({ adjustmentId }) => adjustmentId === adjustment.adjustmentId)) continue;
    moves.push(...(yield* adjustOne(ledger, adjustment, corrected, moved, keys)));
    entries.set(adjustment.callId, { ...corrected, recorded: { entry, adjustments: [...earlier, adjustment] } });
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
  corrected: NumberedEntry,
  allMoved: ExactSums<RollupKind>,
  keys: KeyUseBatch,
): SqlSteps<CounterMove[]> {
  const { recorded } = corrected;
  checkAdjustment(adjustment, recorded);
  const { entry } = recorded;
  const before = effectiveEntry(recorded);
  const after = effectiveEntry({ entry, adjustments: [...recorded.adjustments, adjustment] });
  const counts = entryCounts(after);
  const moved = difference(counts, entryCounts(before));
  yield* ledger.entries.correct(ledger, { adjustment, corrected, moved });
  if (counts.calls === 1) {
    const [row] = yield* toEntryRows(ledger, [{ entry, counts }]);
    const [kind] = row ? yield* ledger.kinds.of([{ row, entry }]) : [];
    if (kind) allMoved.add(kind, toMeasures(moved));
  }
  keys.add(before, effectiveProvenance(recorded), -1);
  keys.add(after, adjustment.provenance);
  return yield* moveEntryCounters(ledger, corrected.id, before, after);
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
