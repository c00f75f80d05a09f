import { EMPTY_TOTALS, type UsageTotals } from '../../domain/usage/usage-totals.ts';
import { type LocalSource, LOCAL_SOURCES } from '../../domain/sessions/local-call.ts';
import { UNPROXIED_MEASURES } from '../totals.ts';
import type { ResultRow } from './result-row.ts';

export function readSource(word: string): LocalSource {
  const found = LOCAL_SOURCES.find((source) => source === word);
  if (!found) throw new Error(`Stored records with unknown source "${word}".`);
  return found;
}

/** Reads the totals of a row, or of sums of rows. */
export function readUnproxiedTotals(row: ResultRow): UsageTotals {
  return {
    ...EMPTY_TOTALS,
    calls: readSessionCount(row[UNPROXIED_MEASURES.calls]),
    uncountedRecords: readSessionCount(row[UNPROXIED_MEASURES.uncountedRecords]),
    cost: readSessionMoney(row[UNPROXIED_MEASURES.cost]),
    inputTokens: readSessionCount(row[UNPROXIED_MEASURES.inputTokens]),
    cacheReadTokens: readSessionCount(row[UNPROXIED_MEASURES.cacheReadTokens]),
    cacheWriteTokens: readSessionCount(row[UNPROXIED_MEASURES.cacheWriteTokens]),
    outputTokens: readSessionCount(row[UNPROXIED_MEASURES.outputTokens]),
    unpricedCalls: readSessionCount(row[UNPROXIED_MEASURES.unpricedCalls]),
    unpricedUses: readSessionCount(row[UNPROXIED_MEASURES.unpricedUses]),
  };
}

/** Returns the measures in the order of `UNPROXIED_MEASURES`. */
export function unproxiedMeasures(totals: UsageTotals): (number | bigint)[] {
  const names = Object.keys(UNPROXIED_MEASURES) as (keyof typeof UNPROXIED_MEASURES)[];
  return names.map((name) => totals[name]);
}

function readSessionMoney(value: unknown): bigint {
  if (typeof value !== 'bigint' && typeof value !== 'number')
    throw new Error('A stored session cost is not an integer.');
  return BigInt(value);
}

function readSessionCount(value: unknown): number {
  const whole = Number(value);
  if (!Number.isSafeInteger(whole)) throw new Error('A stored session count exceeds 2^53.');
  return whole;
}
