import { parseProvenance } from '../../domain/pricing/provenance.ts';
import type { Usage } from '../../domain/usage/usage.ts';
import type { SqlContext } from './entry-reader.ts';
import { ask, askEach, type SqlSteps } from './steps.ts';
import { ENTRY_COLUMNS, fromEntryRow } from './entry-rows.ts';
import { number, numberOrNull, type ResultRow, text, textOrNull } from './result-row.ts';
import type { Adjustment, TokenAmounts } from '../entry-store.ts';
import type { RecordedEntry } from '../usage-queries.ts';

const READ = `SELECT ${ENTRY_COLUMNS} FROM entries e WHERE e.call_id = ? AND e.workspace = ?`;
const READ_ADJUSTMENTS = 'SELECT * FROM adjustments WHERE entry = ?';

export function* readEntry({ names }: SqlContext, workspaceId: string, callId: string): SqlSteps<RecordedEntry | null> {
  const workspace = yield* names.find(workspaceId);
  if (workspace === undefined) return null;
  const [recorded] = yield* toRecordedEntries(yield ask(READ, [callId, workspace]));
  return recorded ?? null;
}

/** Reads entries from rows of `ENTRY_COLUMNS`, with their adjustments. */
export function* toRecordedEntries(rows: readonly ResultRow[]): SqlSteps<RecordedEntry[]> {
  const ids = rows.map((row) => [number(row, 'id')]);
  const adjustments = Map.groupBy(yield* askEach(READ_ADJUSTMENTS, ids), (row) => number(row, 'entry'));
  return rows.map((row) => {
    const entry = fromEntryRow(row);
    const own = (adjustments.get(number(row, 'id')) ?? []).toSorted((a, b) => number(a, 'id') - number(b, 'id'));
    return { entry, adjustments: own.map((one) => toAdjustment(one, entry.callId, entry.workspaceId)) };
  });
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
