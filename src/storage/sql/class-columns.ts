import type { ReportAmounts, ReportClass } from '../../domain/reconciliation/provider-report.ts';
import { numberAt } from './result-row.ts';

/** Classes that have a column in tables of usage by key; the rare rest is JSON in `others`. */
const CLASS_COLUMNS = {
  input: 'input',
  cacheRead: 'cache_read',
  cacheWrite: 'cache_write',
  cacheWrite5m: 'cache_write_5m',
  cacheWrite1h: 'cache_write_1h',
  output: 'output',
  webSearch: 'web_searches',
} as const satisfies Partial<Record<ReportClass, string>>;
const CLASSES = Object.keys(CLASS_COLUMNS) as (keyof typeof CLASS_COLUMNS)[];

/** Columns of classes, in the order of `classAmounts`. */
export const CLASS_COLUMN_NAMES: readonly string[] = Object.values(CLASS_COLUMNS);

/** Returns the amounts of classes that have a column. */
export function classAmounts(amounts: ReportAmounts): number[] {
  return CLASSES.map((name) => amounts[name] ?? 0);
}

/** Returns the amounts of classes without a column. */
export function rareAmounts(amounts: ReportAmounts): [string, number][] {
  return Object.entries(amounts).filter(([name]) => !Object.hasOwn(CLASS_COLUMNS, name));
}

/** Reads the amounts that are not 0. `first` is the index of the first class in a row that is a list. */
export function readAmounts(row: readonly unknown[], first: number, others: unknown): ReportAmounts {
  const amounts: ReportAmounts = typeof others === 'string' ? (JSON.parse(others) as ReportAmounts) : {};
  let column = first;
  for (const name of CLASSES) {
    const amount = numberAt(row, column);
    if (amount !== 0) amounts[name] = amount;
    column += 1;
  }
  return amounts;
}
