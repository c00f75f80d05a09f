import { setImmediate } from 'node:timers/promises';
import type { ReportClass, ReportedCost } from '../../domain/reconciliation/provider-report.ts';
import type { StoredDay } from '../provider-reports.ts';
import type { LedgerDatabase } from '../sqlite/ledger-database.ts';
import { numberAt } from './result-row.ts';
import { DAY_MS } from '../../domain/time/units.ts';
import type { Period } from '../../domain/time/period.ts';

/** Days per turn. The rows of one day are from one instant. */
const SLICE_DAYS = 7;
const LINES = `SELECT day, key, project, model, tier, context, geo, kind, class, unit, description, amount, nano_usd
  FROM report_costs WHERE connection = ? AND day >= ? AND day < ?`;
/** Each bound alone is one index lookup. */
const DAYS = `SELECT (SELECT min(day) FROM report_costs WHERE connection = ?1),
  (SELECT max(day) FROM report_costs WHERE connection = ?1)`;

/** Reads the lines of the bill by day. */
export async function reportLines(
  { connection, names }: Pick<LedgerDatabase, 'connection' | 'names'>,
  connectionId: string,
  range: Period,
): Promise<StoredDay<ReportedCost>[]> {
  const id = names.find(connectionId) ?? -1;
  const [first, last] = connection.lists(DAYS, id)[0] ?? [];
  if (typeof first !== 'number' || typeof last !== 'number') return [];
  const nameOf = (number: unknown): string | null => names.text(number);
  const days = new Map<number, ReportedCost[]>();
  const end = Math.min(range.end, last + 1);
  for (let from = Math.max(range.start, first); from < end; from += SLICE_DAYS * DAY_MS) {
    const to = Math.min(end, from + SLICE_DAYS * DAY_MS);
    for (const row of connection.lists(LINES, id, from, to)) {
      const day = numberAt(row, 0);
      const lines = days.get(day);
      if (lines) lines.push(toReportedCost(row, nameOf));
      else days.set(day, [toReportedCost(row, nameOf)]);
    }
    if (to < end) await setImmediate();
  }
  return [...days].map(([day, rows]) => ({ day, rows }));
}

function toReportedCost(row: readonly unknown[], nameOf: (id: unknown) => string | null): ReportedCost {
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
