import type { UsageTotals } from '../../domain/usage/usage-totals.ts';
import type { ResultRow } from './result-row.ts';

/** Columns of the measures that a table has; the others are 0. */
type MeasureColumns = { readonly [Name in keyof UsageTotals]?: string };

/** Reads the totals of a row, or of sums of rows. */
export function readTotals(row: ResultRow, columns: MeasureColumns): UsageTotals {
  return {
    calls: readCount(row, columns.calls),
    uncountedRecords: readCount(row, columns.uncountedRecords),
    failedCalls: readCount(row, columns.failedCalls),
    cost: readMoney(row, columns.cost),
    inputTokens: readCount(row, columns.inputTokens),
    cacheReadTokens: readCount(row, columns.cacheReadTokens),
    cacheWriteTokens: readCount(row, columns.cacheWriteTokens),
    outputTokens: readCount(row, columns.outputTokens),
    unpricedCalls: readCount(row, columns.unpricedCalls),
    unpricedUses: readCount(row, columns.unpricedUses),
    uncertainCalls: readCount(row, columns.uncertainCalls),
    uncertainUpTo: readMoney(row, columns.uncertainUpTo),
    unpricedUpTo: readMoney(row, columns.unpricedUpTo),
    listBeyondCost: readMoney(row, columns.listBeyondCost),
    contractedBeyondCost: readMoney(row, columns.contractedBeyondCost),
    uncertainInputTokens: readCount(row, columns.uncertainInputTokens),
    uncertainOutputTokens: readCount(row, columns.uncertainOutputTokens),
  };
}

/** Returns measures in the order of `columns`. */
export function listMeasures(totals: UsageTotals, columns: MeasureColumns): (number | bigint)[] {
  return (Object.keys(columns) as (keyof UsageTotals)[]).map((name) => totals[name]);
}

/** Reads money. One row holds it as a number; a sum is a `bigint`. */
function readMoney(row: ResultRow, column: string | undefined): bigint {
  if (column === undefined) return 0n;
  const value = row[column];
  if (typeof value === 'bigint') return value;
  if (!Number.isSafeInteger(value)) throw new Error(`The column ${column} is not an amount of money.`);
  return BigInt(Number(value));
}

function readCount(row: ResultRow, column: string | undefined): number {
  if (column === undefined) return 0;
  const value = row[column];
  const count = typeof value === 'bigint' ? Number(value) : value;
  if (typeof count !== 'number' || !Number.isSafeInteger(count))
    throw new Error(`The column ${column} is not a count below 2^53.`);
  return count;
}
