import { parseProvenance } from '../../domain/pricing/provenance.ts';
import type { Usage } from '../../domain/usage/usage.ts';
import type { LedgerDatabase } from '../sqlite/ledger-database.ts';
import { ENTRY_COLUMNS, fromEntryRow } from './entry-rows.ts';
import { number, numberOrNull, type ResultRow, text, textOrNull } from './result-row.ts';
import type { Adjustment, TokenAmounts } from '../entry-store.ts';
import type { RecordedEntry } from '../usage-queries.ts';

const READ = `SELECT ${ENTRY_COLUMNS} FROM entries e WHERE e.call_id = ? AND e.workspace = ?`;
const READ_ADJUSTMENTS = 'SELECT * FROM adjustments WHERE entry = ? ORDER BY id';

export function readEntry(ledger: LedgerDatabase, workspaceId: string, callId: string): RecordedEntry | null {
  const workspace = ledger.names.find(workspaceId);
  if (workspace === undefined) return null;
  const row = ledger.connection.statement(READ).get(callId, workspace);
  return row ? toRecordedEntry(ledger, row) : null;
}

/** Reads an entry from a row of `ENTRY_COLUMNS`, with its adjustments. */
export function toRecordedEntry({ connection }: Pick<LedgerDatabase, 'connection'>, row: ResultRow): RecordedEntry {
  const entry = fromEntryRow(row);
  const adjustments = connection
    .statement(READ_ADJUSTMENTS)
    .all(number(row, 'id'))
    .map((adjustment) => toAdjustment(adjustment, entry.callId, entry.workspaceId));
  return { entry, adjustments };
}

function toAdjustment(row: ResultRow, callId: string, workspaceId: string): Adjustment {
  return {
    adjustmentId: text(row, 'adjustment_id'),
    callId,
    workspaceId,
    recordedAt: number(row, 'recorded_at'),
    costBefore: numberOrNull(row, 'cost_before'),
    costAfter: numberOrNull(row, 'cost_after'),
    provenance: parseProvenance(text(row, 'price_version')),
    reason: text(row, 'reason'),
    ...(row['resolved_input'] !== null && { resolved: readResolved(row) }),
  };
}

function readResolved(row: ResultRow): TokenAmounts {
  const usage = textOrNull(row, 'resolved_usage');
  return {
    inputTokens: number(row, 'resolved_input'),
    outputTokens: number(row, 'resolved_output'),
    ...(usage !== null && { usage: JSON.parse(usage) as Usage }),
  };
}
