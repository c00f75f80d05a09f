import { formatAmount } from '../core/limit-fields.ts';

/** Dollars that may be below 0; null = not known. */
export function usdText(amount: number | null): string {
  if (amount === null) return '-';
  return amount < 0 ? `-${formatAmount('usd', -amount)}` : formatAmount('usd', amount);
}
