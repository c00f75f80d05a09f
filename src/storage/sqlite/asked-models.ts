import { SCANNED_ENTRIES_MAX } from '../past.ts';
import type { TimeRange, UsageTotals } from '../store.ts';
import { MEASURE_COLUMNS } from '../totals.ts';
import type { LedgerDatabase } from './book.ts';
import { readDetailBegins } from './detail.ts';
import { text, textOrNull } from './row.ts';
import { toTotals } from './sum.ts';

const IN_WINDOW = 'workspace = :workspace AND began_at >= :start AND began_at < :end';
const COUNT = `SELECT count(*) AS n FROM (SELECT 1 FROM entries WHERE ${IN_WINDOW} LIMIT :most)`;
const SUMS = MEASURE_COLUMNS.map((column) => `sum(${column}) AS ${column}`).join(', ');
/** As the view `details`, with what was asked for. */
const DETAILS = `SELECT provider, asked_model, asked_model_text, 1 AS calls, failed_calls, coalesce(cost, 0) AS cost,
    input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, unpriced_calls, uncertain_calls,
    uncertain_up_to, unpriced_up_to, uncertain_input_tokens, uncertain_output_tokens
  FROM entries WHERE ${IN_WINDOW} AND source = :source AND sent = 1
  UNION ALL
  SELECT e.provider, e.asked_model, e.asked_model_text, 0, 0, a.cost_moved, a.input_moved, a.cache_read_moved,
    a.cache_write_moved, a.output_moved, a.unpriced_moved, a.uncertain_calls_moved, a.uncertain_moved,
    a.unpriced_up_to_moved, a.uncertain_input_moved, a.uncertain_output_moved
  FROM adjustments a JOIN entries e ON e.id = a.entry
  WHERE a.workspace = :workspace AND a.began_at >= :start AND a.began_at < :end AND e.source = :source AND e.sent = 1`;
const READ = `SELECT (SELECT text FROM names WHERE id = provider) AS provider,
    coalesce(asked_model_text, (SELECT text FROM names WHERE id = asked_model)) AS model, ${MEASURE_COLUMNS.join(', ')}
  FROM (SELECT provider, asked_model, asked_model_text, ${SUMS} FROM (${DETAILS}) GROUP BY 1, 2, 3)`;

interface RequestedModelSum {
  readonly provider: string;
  readonly model: string;
  readonly totals: UsageTotals;
}

/** What proxied calls of a window asked for, and their sums; null = too many to look at, or some are gone. */
export function sumRequestedModels(
  { connection, names }: Pick<LedgerDatabase, 'connection' | 'names'>,
  workspaceId: string,
  window: TimeRange,
): RequestedModelSum[] | null {
  const [workspace, source] = [names.find(workspaceId), names.find('proxy')];
  if (workspace === undefined || source === undefined) return [];
  if (window.start < readDetailBegins(connection, workspace)) return null;
  const range = { workspace, start: window.start, end: Math.min(window.end, Number.MAX_SAFE_INTEGER) };
  const { n } = connection.statement(COUNT).get({ ...range, most: SCANNED_ENTRIES_MAX + 1 }) ?? {};
  if (Number(n) > SCANNED_ENTRIES_MAX) return null;
  const rows = connection.sumStatement(READ).all({ ...range, source });
  return rows.flatMap((row) => {
    const model = textOrNull(row, 'model');
    return model === null ? [] : [{ provider: text(row, 'provider'), model, totals: toTotals(row) }];
  });
}
