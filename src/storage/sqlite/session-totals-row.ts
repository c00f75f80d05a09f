import { type LocalSource, LOCAL_SOURCES } from '../../domain/sessions/local-call.ts';
import { SESSION_MEASURES } from '../session-totals.ts';
import type { ResultRow } from './result-row.ts';
import type { SessionTotals } from '../session-store.ts';

export function readSource(word: string): LocalSource {
  const found = LOCAL_SOURCES.find((source) => source === word);
  if (!found) throw new Error(`Stored records with unknown source "${word}".`);
  return found;
}

/** Reads the totals of a row, or of sums of rows. */
export function toSessionTotals(row: ResultRow): SessionTotals {
  return {
    calls: readSessionCount(row[SESSION_MEASURES.calls]),
    uncountedRecords: readSessionCount(row[SESSION_MEASURES.uncountedRecords]),
    cost: readSessionMoney(row[SESSION_MEASURES.cost]),
    inputTokens: readSessionCount(row[SESSION_MEASURES.inputTokens]),
    cacheReadTokens: readSessionCount(row[SESSION_MEASURES.cacheReadTokens]),
    cacheWriteTokens: readSessionCount(row[SESSION_MEASURES.cacheWriteTokens]),
    outputTokens: readSessionCount(row[SESSION_MEASURES.outputTokens]),
    unpricedCalls: readSessionCount(row[SESSION_MEASURES.unpricedCalls]),
    unpricedUses: readSessionCount(row[SESSION_MEASURES.unpricedUses]),
  };
}

/** Returns the measures in the order of `SESSION_MEASURES`. */
export function sessionMeasures(totals: SessionTotals): (number | bigint)[] {
  const names = Object.keys(SESSION_MEASURES) as (keyof SessionTotals)[];
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
