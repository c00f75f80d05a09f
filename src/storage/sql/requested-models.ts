import type { Period } from '../../domain/time/period.ts';
import { MEASURE_COLUMNS, MEASURES } from '../totals.ts';
import type { RequestedModelSum, SqlContext } from './entry-table.ts';
import { text, textOrNull } from './result-row.ts';
import { askSums, type SqlSteps } from './steps.ts';
import { readTotals } from './totals-row.ts';

const IN_WINDOW = 'workspace = :workspace AND started_at >= :start AND started_at < :end';
const SUMS = MEASURE_COLUMNS.map((column) => `sum(${column}) AS ${column}`).join(', ');
/** Like the view `entry_measures`, with requested models. */
const DETAILS = `SELECT provider, requested_model, requested_model_text, 1 AS calls, failed_calls, coalesce(cost, 0) AS cost,
    input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, unpriced_calls, uncertain_calls,
    uncertain_up_to, unpriced_up_to, list_beyond_cost, contracted_beyond_cost, uncertain_input_tokens, uncertain_output_tokens
  FROM entries WHERE ${IN_WINDOW} AND source = :source AND sent = 1
  UNION ALL
  SELECT e.provider, e.requested_model, e.requested_model_text, 0, 0, a.cost_moved, a.input_moved, a.cache_read_moved,
    a.cache_write_moved, a.output_moved, a.unpriced_moved, a.uncertain_calls_moved, a.uncertain_moved,
    a.unpriced_up_to_moved, a.list_moved, a.contracted_moved, a.uncertain_input_moved, a.uncertain_output_moved
  FROM adjustments a JOIN entries e ON e.id = a.entry AND e.started_at = a.started_at
  WHERE a.workspace = :workspace AND a.started_at >= :start AND a.started_at < :end AND e.source = :source AND e.sent = 1`;
const READ = `SELECT (SELECT text FROM names WHERE id = provider) AS provider,
    coalesce(requested_model_text, (SELECT text FROM names WHERE id = requested_model)) AS model, ${MEASURE_COLUMNS.join(', ')}
  FROM (SELECT provider, requested_model, requested_model_text, ${SUMS} FROM (${DETAILS}) AS details GROUP BY 1, 2, 3) AS sums`;

/** Sums proxied calls of a range by requested model. */
export function* sumRequestedModels(
  { names }: SqlContext,
  workspaceId: string,
  range: Period,
): SqlSteps<RequestedModelSum[]> {
  const [workspace, source] = [yield* names.find(workspaceId), yield* names.find('proxy')];
  if (workspace === undefined || source === undefined) return [];
  const rows = yield askSums(READ, { workspace, source, start: range.start, end: range.end });
  return rows.flatMap((row) => {
    const model = textOrNull(row, 'model');
    return model === null ? [] : [{ provider: text(row, 'provider'), model, totals: readTotals(row, MEASURES) }];
  });
}
