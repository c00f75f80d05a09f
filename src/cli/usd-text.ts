import { formatAmount } from '../domain/limits/limit-fields.ts';

const CENTS = 2;
/** Digits of amounts below a dollar. */
const SMALL_DIGITS = 4;

/** Returns a formatter that gives all amounts of a column the same number of digits. */
export function usdColumn(amounts: readonly (number | null)[]): (amount: number | null) => string {
  const isSmall = amounts.some((amount) => amount !== null && amount !== 0 && Math.abs(amount) < 1);
  const digits = isSmall ? SMALL_DIGITS : CENTS;
  const format = new Intl.NumberFormat('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const least = 10 ** -digits;
  return (amount) => {
    if (amount === null) return '-';
    const sign = amount < 0 ? '-' : '';
    const size = Math.abs(amount);
    return size > 0 && size < least / 2 ? `${sign}<$${format.format(least)}` : `${sign}$${format.format(size)}`;
  };
}

/** Dollars that may be below 0; null = not known. */
export function usdText(amount: number | null): string {
  if (amount === null) return '-';
  return amount < 0 ? `-${formatAmount('usd', -amount)}` : formatAmount('usd', amount);
}
