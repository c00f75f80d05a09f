import type { ReportedPart } from '../../domain/reconciliation/residual.ts';
import type { ReportCell } from '../provider-reports.ts';
import { ceil } from '../range-segments.ts';
import { CLASS_COLUMN_NAMES, readAmounts } from './class-columns.ts';
import type { SqlContext } from './entry-table.ts';
import type { TextOf } from './name-table.ts';
import { numberAt } from './result-row.ts';
import { askLists, lists, type SqlSteps } from './steps.ts';
import { DAY_MS } from '../../domain/time/units.ts';
import type { Period } from '../../domain/time/period.ts';

/** One day at a time, ordered by the primary key, so that rows of a cell are adjacent. */
const CELLS = `SELECT report, key, model, tier, context, geo, speed, requests, others, ${CLASS_COLUMN_NAMES.join(', ')}
  FROM report_usage WHERE connection = ? AND day = ? ORDER BY report, key, model`;
/** Columns that are numbers of names, except for the report. */
const NAMED = [1, 2, 3, 4, 5, 6];
const FIRST_AMOUNT = 9;
/** Each bound alone is one index lookup. */
const DAYS = `SELECT (SELECT min(day) FROM report_usage WHERE connection = ?),
  (SELECT max(day) FROM report_usage WHERE connection = ?)`;

/** Reads usage by day, report, key and model; pauses between days. */
export function* readReportCells({ names }: SqlContext, connectionId: string, range: Period): SqlSteps<ReportCell[]> {
  const connection = yield* names.find(connectionId);
  if (connection === undefined) return [];
  const [[first, last] = []] = lists(yield askLists(DAYS, [connection, connection]));
  if (typeof first !== 'number' || typeof last !== 'number') return [];
  const cells: MutableCell[] = [];
  const end = Math.min(range.end, last + 1);
  for (let day = Math.max(ceil(range.start, DAY_MS), first); day < end; day += DAY_MS) {
    const rows = lists(yield askLists(CELLS, [connection, day]));
    addCells(cells, day, rows, yield* names.textsIn(rows, NAMED));
    if (day + DAY_MS < end) yield;
  }
  return cells;
}

type MutableCell = ReportCell & { readonly rows: ReportedPart[] };

function addCells(cells: MutableCell[], day: number, rows: readonly (readonly unknown[])[], nameOf: TextOf): void {
  const termsOf = termsBy(nameOf);
  let before: readonly unknown[] = [];
  for (const row of rows) {
    const part = toReportedPart(row, termsOf(row));
    if (row[0] === before[0] && row[1] === before[1] && row[2] === before[2]) cells.at(-1)?.rows.push(part);
    else cells.push({ day, key: nameOf(row[1]), model: nameOf(row[2]), rows: [part] });
    before = row;
  }
}

type TermNames = Pick<ReportedPart, 'tier' | 'context' | 'geo' | 'speed'>;

/** Returns the terms of a row. Most rows have those of the previous one. */
function termsBy(nameOf: TextOf): (row: readonly unknown[]) => TermNames {
  let before: readonly unknown[] = [];
  let terms: TermNames = { tier: null, context: null, geo: null, speed: null };
  return (row) => {
    const isSame = row[3] === before[3] && row[4] === before[4] && row[5] === before[5] && row[6] === before[6];
    if (!isSame) terms = { tier: nameOf(row[3]), context: nameOf(row[4]), geo: nameOf(row[5]), speed: nameOf(row[6]) };
    before = row;
    return terms;
  };
}

function toReportedPart(row: readonly unknown[], { tier, context, geo, speed }: TermNames): ReportedPart {
  const amounts = readAmounts(row, FIRST_AMOUNT, row[8]);
  return { tier, context, geo, speed, amounts, requests: row[7] === null ? null : numberAt(row, 7) };
}
