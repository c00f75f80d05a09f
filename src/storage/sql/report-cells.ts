import { setImmediate } from 'node:timers/promises';
import type { ReportAmounts } from '../../domain/reconciliation/provider-report.ts';
import type { ReportedPart } from '../../domain/reconciliation/residual.ts';
import type { ReportCell } from '../provider-reports.ts';
import { ceil } from '../range-segments.ts';
import type { LedgerDatabase } from '../sqlite/ledger-database.ts';
import { numberAt } from './result-row.ts';
import { DAY_MS } from '../../domain/time/units.ts';
import type { Period } from '../../domain/time/period.ts';

/** One day at a time, from one instant, ordered by the primary key, so that rows of a cell are adjacent. */
const CELLS = `SELECT key, model, tier, context, geo, speed, requests, others, input, cache_read, cache_write,
  cache_write_5m, cache_write_1h, output, web_searches, report FROM report_usage
  WHERE connection = ? AND day = ? ORDER BY report, key, model`;
/** Each bound alone is one index lookup. */
const DAYS = `SELECT (SELECT min(day) FROM report_usage WHERE connection = ?1),
  (SELECT max(day) FROM report_usage WHERE connection = ?1)`;
/** Classes of the columns from `input` on. */
const AMOUNTS = ['input', 'cacheRead', 'cacheWrite', 'cacheWrite5m', 'cacheWrite1h', 'output', 'webSearch'] as const;
const FIRST_AMOUNT = 8;
const REPORT = FIRST_AMOUNT + AMOUNTS.length;

export async function reportCells(
  { connection, names }: Pick<LedgerDatabase, 'connection' | 'names'>,
  connectionId: string,
  range: Period,
): Promise<ReportCell[]> {
  const id = names.find(connectionId) ?? -1;
  const [first, last] = connection.lists(DAYS, id)[0] ?? [];
  if (typeof first !== 'number' || typeof last !== 'number') return [];
  const nameOf = (number: unknown): string | null => names.text(number);
  const wordsOf = wordsBy(nameOf);
  const cells: MutableCell[] = [];
  const end = Math.min(range.end, last + 1);
  for (let day = Math.max(ceil(range.start, DAY_MS), first); day < end; day += DAY_MS) {
    let before: readonly unknown[] = [];
    for (const row of connection.lists(CELLS, id, day)) {
      const part = toReportedPart(row, wordsOf(row));
      if (row[0] === before[0] && row[1] === before[1] && row[REPORT] === before[REPORT]) cells.at(-1)?.rows.push(part);
      else cells.push({ day, key: nameOf(row[0]), model: nameOf(row[1]), rows: [part] });
      before = row;
    }
    if (day + DAY_MS < end) await setImmediate();
  }
  return cells;
}

type TermNames = Pick<ReportedPart, 'tier' | 'context' | 'geo' | 'speed'>;

/** Returns the terms of a row. Most rows have those of the previous one. */
function wordsBy(nameOf: (id: unknown) => string | null): (row: readonly unknown[]) => TermNames {
  let before: readonly unknown[] = [];
  let words: TermNames = { tier: null, context: null, geo: null, speed: null };
  return (row) => {
    const isSame = row[2] === before[2] && row[3] === before[3] && row[4] === before[4] && row[5] === before[5];
    if (!isSame) words = { tier: nameOf(row[2]), context: nameOf(row[3]), geo: nameOf(row[4]), speed: nameOf(row[5]) };
    before = row;
    return words;
  };
}

type MutableCell = ReportCell & { readonly rows: ReportedPart[] };

function toReportedPart(row: readonly unknown[], { tier, context, geo, speed }: TermNames): ReportedPart {
  const [, , , , , , requests, others] = row;
  const amounts: ReportAmounts = typeof others === 'string' ? (JSON.parse(others) as ReportAmounts) : {};
  let column = FIRST_AMOUNT;
  for (const name of AMOUNTS) {
    const amount = numberAt(row, column);
    if (amount > 0) amounts[name] = amount;
    column += 1;
  }
  return { tier, context, geo, speed, amounts, requests: requests === null ? null : numberAt(row, 6) };
}
