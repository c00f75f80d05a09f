import { parseProvenance } from '../../domain/pricing/provenance.ts';
import type { PricedCosts } from '../../domain/usage/call.ts';
import type { Usage } from '../../domain/usage/usage.ts';
import { ask, askEach, type SqlSteps } from './steps.ts';
import { ENTRY_COLUMNS, fromEntryRow, readPriced } from './entry-rows.ts';
import { number, numberOrNull, type ResultRow, text, textOrNull } from './result-row.ts';
import type { Adjustment, NarrowedCall, TokenAmounts } from '../entry-store.ts';
import type { NumberedEntry, SqlContext } from './entry-table.ts';
import type { RecordedEntry } from '../usage-queries.ts';

const READ = `SELECT ${ENTRY_COLUMNS} FROM entries e WHERE e.call_id = ? AND e.workspace = ?`;
const READ_ADJUSTMENTS = 'SELECT * FROM adjustments WHERE entry = ?';

export function* readEntry({ names }: SqlContext, workspaceId: string, callId: string): SqlSteps<NumberedEntry | null> {
  const workspace = yield* names.find(workspaceId);
  if (workspace === undefined) return null;
  const [found] = yield* toNumberedEntries(yield ask(READ, [callId, workspace]));
  return found ?? null;
}

/** Reads entries from rows of `ENTRY_COLUMNS`, with their adjustments. */
export function* toRecordedEntries(rows: readonly ResultRow[]): SqlSteps<RecordedEntry[]> {
  return (yield* toNumberedEntries(rows)).map(({ recorded }) => recorded);
}

export function* toNumberedEntries(rows: readonly ResultRow[]): SqlSteps<NumberedEntry[]> {
  const ids = rows.map((row) => [number(row, 'id')]);
  const ofEntry = Map.groupBy(yield* askEach(READ_ADJUSTMENTS, ids), (row) => number(row, 'entry'));
  return rows.map((row) => {
    const entry = fromEntryRow(row);
    const own = (ofEntry.get(number(row, 'id')) ?? []).toSorted((a, b) => number(a, 'id') - number(b, 'id'));
    const adjustments = own.map((one, index) => {
      const priced = pricedAfter(row, own.slice(0, index + 1));
      return Object.assign(toAdjustment(one, entry.callId, entry.workspaceId), priced && { priced });
    });
    return { id: number(row, 'id'), summedModel: textOrNull(row, 'model_name'), recorded: { entry, adjustments } };
  });
}

/** Returns the costs by prices after some corrections, from what each changed. */
function pricedAfter(entry: ResultRow, corrections: readonly ResultRow[]): PricedCosts | null {
  const sum = (first: string, moved: string): number =>
    corrections.reduce((all, one) => all + number(one, moved), number(entry, first));
  const cost = numberOrNull(corrections.at(-1) ?? {}, 'cost_after');
  return readPriced(cost, sum('list_beyond_cost', 'list_moved'), sum('contracted_beyond_cost', 'contracted_moved'));
}

function toAdjustment(row: ResultRow, callId: string, workspaceId: string): Adjustment {
  const narrowed = textOrNull(row, 'narrowed');
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
    ...(narrowed !== null && { narrowed: JSON.parse(narrowed) as NarrowedCall }),
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
