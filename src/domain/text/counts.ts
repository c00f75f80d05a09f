import { groupThousands } from './money.ts';

const SUFFIXES = ['', 'K', 'M', 'B', 'T'];
/** Counts below this are short enough in full. */
const SHORT_FROM = 100_000;

/** Formats a whole count: `1,204`. */
export function formatCount(count: number | bigint): string {
  return count < 0 ? `-${groupThousands(-count)}` : groupThousands(count);
}

/** Formats a count with its noun: `1 call`, `1,204 calls`. */
export function countNoun(count: number | bigint, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${BigInt(count) === 1n ? one : many}`;
}

/** Shortens counts from `from` on to three digits and a suffix: `99,999`, `123K`, `1.23M`. */
export function shortCount(count: number, from = SHORT_FROM): string {
  if (count < from) return formatCount(count);
  let [value, suffix] = [count, 0];
  // 999.5 would be shown as 1000.
  while (value >= 999.5 && suffix < SUFFIXES.length - 1) [value, suffix] = [value / 1_000, suffix + 1];
  if (suffix === 0) return String(count);
  return value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0) + (SUFFIXES[suffix] ?? '');
}

/** Shortens a number of calls: `1 call`, `1,204 calls`, `1.23M calls`. */
export function callsText(calls: number): string {
  return `${shortCount(calls)} ${calls === 1 ? 'call' : 'calls'}`;
}
