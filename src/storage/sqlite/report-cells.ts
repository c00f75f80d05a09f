import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReportAmounts } from '../../core/provider-report.ts';
import type { ReportedPart } from '../../core/residual.ts';
import type { ReportCell } from '../provider-reports.ts';
import { DAY_MS } from '../segments.ts';
import type { Range } from '../store.ts';
import type { Book } from './book.ts';
import { namesByNumber } from './names.ts';
import { numberAt } from './row.ts';

/** Days between two turns of others: what is read of a day is of one instant. */
const SLICE_DAYS = 7;
const CELLS = `SELECT day, key, model, tier, context, geo, speed, requests, others, input, cache_read, cache_write,
  cache_write_5m, cache_write_1h, output, web_searches, report FROM report_usage
  WHERE connection = ? AND day >= ? AND day < ? ORDER BY day, report, key, model`;
/** Each by itself is one look into the index. */
const DAYS = `SELECT (SELECT min(day) FROM report_usage WHERE connection = ?1),
  (SELECT max(day) FROM report_usage WHERE connection = ?1)`;
/** Of the columns from `input` on. */
const AMOUNTS = ['input', 'cacheRead', 'cacheWrite', 'cacheWrite5m', 'cacheWrite1h', 'output', 'webSearch'] as const;
const FIRST_AMOUNT = 9;

export async function reportCells(
  { connection, names }: Pick<Book, 'connection' | 'names'>,
  connectionId: string,
  range: Range,
): Promise<ReportCell[]> {
  const id = names.find(connectionId) ?? -1;
  const [first, last] = connection.lists(DAYS, id)[0] ?? [];
  if (typeof first !== 'number' || typeof last !== 'number') return [];
  const nameOf = namesByNumber(connection);
  const wordsOf = wordsBy(nameOf);
  const cells: Cell[] = [];
  const end = Math.min(range.end, last + 1);
  for (let from = Math.max(range.start, first); from < end; from += SLICE_DAYS * DAY_MS) {
    const to = Math.min(end, from + SLICE_DAYS * DAY_MS);
    let before: readonly unknown[] = [];
    for (const row of connection.lists(CELLS, id, from, to)) {
      const part = partOf(row, wordsOf(row));
      if (isSamePlace(row, before)) cells.at(-1)?.rows.push(part);
      else cells.push({ day: numberAt(row, 0), key: nameOf(row[1]), model: nameOf(row[2]), rows: [part] });
      before = row;
    }
    if (to < end) await nextTurn();
  }
  return cells;
}

/** Day, key, model and report. */
function isSamePlace(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a[1] === b[1] && a[2] === b[2] && a[0] === b[0] && a[16] === b[16];
}

type Words = Pick<ReportedPart, 'tier' | 'context' | 'geo' | 'speed'>;

/** Most rows have the words of the one before. */
function wordsBy(nameOf: (id: unknown) => string | null): (row: readonly unknown[]) => Words {
  let before: readonly unknown[] = [];
  let words: Words = { tier: null, context: null, geo: null, speed: null };
  return (row) => {
    const isSame = row[3] === before[3] && row[4] === before[4] && row[5] === before[5] && row[6] === before[6];
    if (!isSame) words = { tier: nameOf(row[3]), context: nameOf(row[4]), geo: nameOf(row[5]), speed: nameOf(row[6]) };
    before = row;
    return words;
  };
}

type Cell = ReportCell & { readonly rows: ReportedPart[] };

function partOf(row: readonly unknown[], { tier, context, geo, speed }: Words): ReportedPart {
  const [, , , , , , , requests, others] = row;
  const amounts: ReportAmounts = typeof others === 'string' ? (JSON.parse(others) as ReportAmounts) : {};
  let column = FIRST_AMOUNT;
  for (const name of AMOUNTS) {
    const amount = numberAt(row, column);
    if (amount > 0) amounts[name] = amount;
    column += 1;
  }
  return { tier, context, geo, speed, amounts, requests: requests === null ? null : numberAt(row, 7) };
}
