import { TollbookError } from '../errors.ts';

/**
 * Whole amounts that never lose a digit: a `number` while it is at most 2^53 - 1, a `bigint` beyond.
 * Nothing here is negative and nothing is a fraction.
 */
export type WholeAmount = number | bigint;

/** 10^-9 USD: what books, limits and sums are kept in. */
export const NANO_DIGITS = 9;
/** 10^-12 USD: what rates and fees are kept in. */
export const PICO_DIGITS = 12;
export const PICO_PER_NANO = 1_000;
export const NANO_PER_USD = 1_000_000_000;
/** Largest amount that one entry, one limit or one price can name: 9,000,000 USD. */
export const NANO_MAX = 9_000_000 * NANO_PER_USD;

export function addWhole(a: WholeAmount, b: WholeAmount): WholeAmount {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (sum <= Number.MAX_SAFE_INTEGER) return sum;
  }
  return BigInt(a) + BigInt(b);
}

/** `a - b`; may be below 0. */
export function subtractWhole(a: WholeAmount, b: WholeAmount): WholeAmount {
  return typeof a === 'number' && typeof b === 'number' ? a - b : narrow(BigInt(a) - BigInt(b));
}

export function multiplyWhole(a: WholeAmount, b: WholeAmount): WholeAmount {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    if (product <= Number.MAX_SAFE_INTEGER) return product;
  }
  return BigInt(a) * BigInt(b);
}

/** `value / by`, rounded to the nearest whole; a half goes up. */
export function divideHalfUp(value: WholeAmount, by: WholeAmount): WholeAmount {
  return divideFloor(addWhole(multiplyWhole(value, 2), by), multiplyWhole(by, 2));
}

/** `value / by`, rounded up. */
export function divideUp(value: WholeAmount, by: WholeAmount): WholeAmount {
  if (typeof value === 'number' && typeof by === 'number') {
    const rest = value % by;
    return (value - rest) / by + (rest > 0 ? 1 : 0);
  }
  return divideFloor(addWhole(value, BigInt(by) - 1n), by);
}

function divideFloor(value: WholeAmount, by: WholeAmount): WholeAmount {
  if (typeof value === 'number' && typeof by === 'number') return (value - (value % by)) / by;
  return narrow(BigInt(value) / BigInt(by));
}

/** The same amount as a `number` where one holds it. */
export function narrow(value: bigint): WholeAmount {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

/** Dollars as a JSON number: the one nearest to the exact decimal. */
export function usdFromNano(nano: WholeAmount): number {
  return Number(`${nano}e-${NANO_DIGITS}`);
}

/** Dollars as exact decimal text with nine decimals, as headers give them. */
export function usdTextFromNano(nano: number): string {
  const dollars = Math.floor(nano / NANO_PER_USD);
  return `${dollars}.${String(nano - dollars * NANO_PER_USD).padStart(NANO_DIGITS, '0')}`;
}

/** Exact nano-USD from decimal text such as `5`, `0.25` or `$1,000`. Throws `invalid` for anything else. */
export function parseUsd(text: string): number {
  const nano = parseDecimal(
    text
      .trim()
      .replace(/^\$/, '')
      .replace(/,(?=\d{3}(?:\D|$))/g, ''),
    NANO_DIGITS,
  );
  if (nano === null || nano > NANO_MAX)
    throw new TollbookError(
      'invalid',
      `"${text.slice(0, 40)}" is not an amount of dollars; write a number such as 12.50, at most 9,000,000, with at most ${NANO_DIGITS} decimals.`,
    );
  return Number(nano);
}

/** Exact nano-USD from dollars as a JSON number or text. Throws `invalid`, naming the parameter. */
export function readUsd(value: unknown, param: string): number {
  const text =
    typeof value === 'number' && Number(value.toFixed(NANO_DIGITS)) === value ? value.toFixed(NANO_DIGITS) : value;
  try {
    return parseUsd(String(text));
  } catch (error) {
    if (error instanceof TollbookError) throw new TollbookError('invalid', error.message, param);
    throw error;
  }
}

/** `text` × 10^digits as a whole, or null when it is no plain decimal number or has further decimals that are not 0. */
export function parseDecimal(text: string, digits: number): WholeAmount | null {
  const match = /^(\d{1,15})(?:\.(\d{1,20}))?$/.exec(text);
  if (!match) return null;
  const fraction = (match[2] ?? '').replace(/0+$/, '');
  if (fraction.length > digits) return null;
  return narrow(BigInt(`${match[1]}${fraction.padEnd(digits, '0')}`));
}
