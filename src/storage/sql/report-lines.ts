import type { ReportClass, ReportedCost } from '../../domain/reconciliation/provider-report.ts';
import type { StoredDay } from '../provider-reports.ts';
import type { SqlContext } from './entry-table.ts';
import type { TextOf } from './name-table.ts';
import { numberAt } from './result-row.ts';
import { askLists, lists, type SqlSteps } from './steps.ts';
import { DAY_MS } from '../../domain/time/units.ts';
import type { Period } from '../../domain/time/period.ts';

/** Days per turn. */
const SLICE_DAYS = 7;
const LINES = `SELECT day, key, project, model, tier, context, geo, kind, class, unit, description, amount, nano_usd
  FROM report_costs WHERE connection = ? AND day >= ? AND day < ? ORDER BY day, report, line`;
/** Columns that are numbers of names. */
const NAMED = [1, 2, 3, 4, 5, 6, 7, 8, 9];
/** Each bound alone is one index lookup. */
const DAYS = `SELECT (SELECT min(day) FROM report_costs WHERE connection = ?),
  (SELECT max(day) FROM report_costs WHERE connection = ?)`;

/** Reads the lines of the bill by day. */
export function* readReportLines(
  { names }: SqlContext,
  connectionId: string,
  range: Period,
): SqlSteps<StoredDay<ReportedCost>[]> {
  const connection = yield* names.find(connectionId);
  if (connection === undefined) return [];
  const [[first, last] = []] = lists(yield askLists(DAYS, [connection, connection]));
  if (typeof first !== 'number' || typeof last !== 'number') return [];
  const days = new Map<number, ReportedCost[]>();
  const end = Math.min(range.end, last + 1);
  for (let from = Math.max(range.start, first); from < end; from += SLICE_DAYS * DAY_MS) {
    const to = Math.min(end, from + SLICE_DAYS * DAY_MS);
    const rows = lists(yield askLists(LINES, [connection, from, to]));
    const nameOf = yield* names.textsIn(rows, NAMED);
    for (const row of rows) {
      const day = numberAt(row, 0);
      const lines = days.get(day);
      if (lines) lines.push(toReportedCost(row, nameOf));
      else days.set(day, [toReportedCost(row, nameOf)]);
    }
    if (to < end) yield;
  }
  return [...days].map(([day, rows]) => ({ day, rows }));
}

function toReportedCost(row: readonly unknown[], nameOf: TextOf): ReportedCost {
  const [, key, project, model, tier, context, geo, kind, name, unit, description, amount, nanoUsd] = row;
  return {
    key: nameOf(key),
    project: nameOf(project),
    model: nameOf(model),
    tier: nameOf(tier),
    context: nameOf(context),
    geo: nameOf(geo),
    kind: nameOf(kind),
    class: nameOf(name) as ReportClass | null,
    line: typeof description === 'string' ? description : null,
    amount: String(amount),
    unit: nameOf(unit) ?? '',
    nanoUsd: nanoUsd === null ? null : numberAt(row, 12),
  };
}
