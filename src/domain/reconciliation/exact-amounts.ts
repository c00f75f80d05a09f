import type { ReportedCost } from './provider-report.ts';

/**
 * Amounts are compared in femto-USD (10^-15): rates are pico-USD and multipliers have denominators that divide 1000, so
 * that nothing is rounded before the end.
 */
export const FEMTO_PER_PICO = 1_000n;
export const FEMTO_PER_NANO = 1_000_000n;

/** Rounded to the nearest; halves away from 0. */
export function toNano(femto: bigint): bigint {
  const half = FEMTO_PER_NANO / 2n;
  return (femto < 0n ? femto - half : femto + half) / FEMTO_PER_NANO;
}

export function toFemto(nano: bigint): bigint {
  return nano * FEMTO_PER_NANO;
}

/** Digits of a femto-USD in a cent and in a dollar. */
const UNIT_DIGITS = { cent: 13, dollar: 15 } as const;
/** Largest rounding that is assumed for amounts with few decimals. */
const ROUNDED_MAX = 50n * FEMTO_PER_NANO;

/** A line of the bill, exact, and by how much it may have been rounded where it was made; null = in another currency. */
export function readBilledAmount({
  amount,
  unit,
  nanoUsd,
}: ReportedCost): { amount: bigint; roundedBy: bigint } | null {
  if (nanoUsd === null) return null;
  const digits = unit.endsWith('cent') ? UNIT_DIGITS.cent : UNIT_DIGITS.dollar;
  const [whole = '0', fraction = ''] = amount.replace('-', '').split('.');
  const exact = BigInt(whole + fraction.slice(0, digits).padEnd(digits, '0'));
  const lastDigit = 10n ** BigInt(Math.max(0, digits - fraction.length));
  const roundedBy = lastDigit / 2n < ROUNDED_MAX ? lastDigit / 2n : ROUNDED_MAX;
  return { amount: amount.startsWith('-') ? -exact : exact, roundedBy };
}

export function absoluteValue(amount: bigint): bigint {
  return amount < 0n ? -amount : amount;
}

/** `amount` × `part` / `whole`, rounded down. */
export function proportion(amount: bigint, part: number | bigint, whole: number | bigint): bigint {
  const [product, by] = [amount * BigInt(part), BigInt(whole)];
  const quotient = product / by;
  return product < 0n && quotient * by !== product ? quotient - 1n : quotient;
}

/**
 * Divides an amount in proportion to weights without losing a unit: shares are rounded down, and the remaining units go
 * to those that lost most, first ones first. Weights are not negative.
 */
export function splitAmount(amount: bigint, weights: readonly bigint[]): bigint[] {
  const whole = weights.reduce((sum, weight) => sum + weight, 0n);
  if (whole === 0n) return weights.map(() => 0n);
  const isNegative = amount < 0n;
  const size = isNegative ? -amount : amount;
  const shares = weights.map((weight) => (size * weight) / whole);
  let left = size - shares.reduce((sum, share) => sum + share, 0n);
  const lost = weights.map((weight, index) => ({ index, rest: (size * weight) % whole }));
  lost.sort((a, b) => (a.rest === b.rest ? a.index - b.index : a.rest > b.rest ? -1 : 1));
  for (const { index } of lost) {
    if (left === 0n) break;
    shares[index] = (shares[index] ?? 0n) + 1n;
    left -= 1n;
  }
  return isNegative ? shares.map((share) => -share) : shares;
}
