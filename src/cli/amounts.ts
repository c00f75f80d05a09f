import { divideHalfUp, type WholeAmount } from '../domain/money/money.ts';

const NANO_PER_CENT = 10_000_000;
const SUFFIXES = ['', 'K', 'M', 'B', 'T'];
const DATED = /-(?:20\d{6}|20\d{2}-\d{2}-\d{2})$/;

/** Formats an amount in cents, so that a column of amounts aligns: `$1,234.56`, `<$0.01`; `-` = unknown. */
export function dollars(nano: WholeAmount | null): string {
  if (nano === null) return '-';
  if (nano > 0 && nano < NANO_PER_CENT) return '<$0.01';
  const cents = String(divideHalfUp(nano, NANO_PER_CENT)).padStart(3, '0');
  return `$${thousands(cents.slice(0, -2))}.${cents.slice(-2)}`;
}

/** `1,234,567` */
export function thousands(whole: number | string): string {
  return String(whole).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** In four characters or less before the suffix: `999`, `1.23K`, `12.3M`, `123B`. */
export function shortCount(count: number): string {
  let [value, suffix] = [count, 0];
  // 999.5 would be shown as 1000.
  while (value >= 999.5 && suffix < SUFFIXES.length - 1) [value, suffix] = [value / 1_000, suffix + 1];
  if (suffix === 0) return String(count);
  return value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0) + (SUFFIXES[suffix] ?? '');
}

/** A model without its maker and the date of its snapshot: `opus-4-5`. */
export function shortModel(model: string): string {
  return model.replace(/^claude-/, '').replace(DATED, '');
}

/** In at most two units: `3d 4h`, `2h 14m`, `5m`. */
export function roughly(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  const hours = Math.floor(minutes / 60);
  if (hours >= 24) return pair(Math.floor(hours / 24), 'd', hours % 24, 'h');
  return hours > 0 ? pair(hours, 'h', minutes % 60, 'm') : `${minutes}m`;
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return `${large}${largeUnit}${small > 0 ? ` ${small}${smallUnit}` : ''}`;
}
