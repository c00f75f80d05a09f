import { TollbookError } from '../errors.ts';
import { parseDecimal } from '../money/money.ts';
import { readInstant } from '../time/period.ts';
import { type HourBucket, type SpendSeries, WHOLE_WORKSPACE } from './series.ts';
import { HOUR_MS } from '../time/units.ts';

const ROWS_MAX = 2_000_000;
const HOURS_MAX = 17_600;
const COLUMNS = ['time', 'cost', 'calls', 'failed', 'tokens'] as const;
type SeriesColumn = (typeof COLUMNS)[number];
/** Other words for the same, as in files of other tools. */
const SYNONYMS: Readonly<Record<string, SeriesColumn>> = {
  timestamp: 'time',
  date: 'time',
  hour: 'time',
  start: 'time',
  value: 'cost',
  usd: 'cost',
  cost_usd: 'cost',
  requests: 'calls',
  errors: 'failed',
};
const NANO_DIGITS = 9;
/** Seconds since 1970 have ten digits for a while, milliseconds thirteen. */
const EPOCH = /^\d{10}(\d{3})?$/;
const EXPONENT = /^[+-]?\d+(\.\d+)?e[+-]?\d+$/i;

/**
 * A series from a text of lines `time,cost[,calls][,failed][,tokens]` under a line with these names, in any order; other
 * columns are left out. Times are ISO 8601 (without an offset: UTC) or seconds or milliseconds since 1970, costs are in
 * USD. Lines of the same hour are added up.
 * @throws TollbookError `invalid`, naming the line.
 */
export function readSeries(text: string, name: string): SpendSeries {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const columns = readHeader(lines[0] ?? '');
  const hours = new Map<number, HourBucket>();
  lines.forEach((line, index) => {
    if (index === 0 || line.trim() === '') return;
    if (index > ROWS_MAX) throw lineError(index, `a file may have ${ROWS_MAX} lines; add up its hours first`);
    const bucket = readLine(line, columns, index);
    const old = hours.get(bucket.hour);
    if (!old && hours.size === HOURS_MAX) throw lineError(index, `these are more than ${HOURS_MAX} hours; take a part`);
    hours.set(bucket.hour, old ? addHourBuckets(old, bucket) : bucket);
  });
  if (hours.size === 0) throw new TollbookError('invalid', 'The file has no line with figures under its first one.');
  return { scope: WHOLE_WORKSPACE, name, hours: [...hours.values()].toSorted((a, b) => a.hour - b.hour) };
}

function readHeader(line: string): ReadonlyMap<SeriesColumn, number> {
  const columns = new Map<SeriesColumn, number>();
  splitCells(line).forEach((cell, place) => {
    const word = cell.toLowerCase();
    const column = COLUMNS.find((one) => one === word) ?? SYNONYMS[word];
    if (column && !columns.has(column)) columns.set(column, place);
  });
  if (columns.has('time') && columns.has('cost')) return columns;
  throw new TollbookError(
    'invalid',
    'The first line must name the columns: time,cost and, where they are known, calls,failed,tokens.',
  );
}

function readLine(line: string, columns: ReadonlyMap<SeriesColumn, number>, index: number): HourBucket {
  const cells = splitCells(line);
  const read = (column: SeriesColumn): string | null => {
    const place = columns.get(column);
    return place === undefined ? null : (cells[place] ?? '');
  };
  const at = readTime(read('time') ?? '', index);
  const count = (column: SeriesColumn): number | null => {
    const cell = read(column);
    return cell === null || cell === '' ? null : readNumber(cell, column, 0, index);
  };
  return {
    hour: Math.floor(at / HOUR_MS) * HOUR_MS,
    cost: readNumber(read('cost') ?? '', 'cost', NANO_DIGITS, index),
    calls: count('calls'),
    failed: count('failed'),
    tokens: count('tokens'),
  };
}

function readTime(cell: string, index: number): number {
  if (EPOCH.test(cell)) return cell.length === 10 ? Number(cell) * 1_000 : Number(cell);
  try {
    return readInstant(cell, 'time');
  } catch (error) {
    if (!(error instanceof TollbookError)) throw error;
    throw lineError(index, `"${cell.slice(0, 40)}" is not a time; write 2026-01-31T12:00:00Z`);
  }
}

/** A decimal number that isn't negative, times ten to the power of `digits`, as a whole number. */
function readNumber(cell: string, column: SeriesColumn, digits: number, index: number): number {
  const plain = EXPONENT.test(cell) ? Number(cell).toFixed(digits) : cell.replace(/^\$/, '');
  const short = plain.replace(/(\.\d{0,12})\d*$/, '$1').replace(/\.$/, '');
  const exact = parseDecimal(short, 12);
  const value = exact === null ? NaN : Math.round(Number(exact) / 10 ** (12 - digits));
  if (value >= 0 && value <= Number.MAX_SAFE_INTEGER) return value;
  throw lineError(index, `"${cell.slice(0, 40)}" is not a valid ${column}; write a number from 0 up, such as 12.5`);
}

function splitCells(line: string): string[] {
  return line
    .split(line.includes(';') && !line.includes(',') ? ';' : ',')
    .map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
}

function addHourBuckets(a: HourBucket, b: HourBucket): HourBucket {
  const sum = (x: number | null, y: number | null): number | null => (x === null ? y : x + (y ?? 0));
  return {
    hour: a.hour,
    cost: a.cost + b.cost,
    calls: sum(a.calls, b.calls),
    failed: sum(a.failed, b.failed),
    tokens: sum(a.tokens, b.tokens),
  };
}

function lineError(index: number, what: string): TollbookError {
  return new TollbookError('invalid', `Line ${index + 1}: ${what}.`);
}
