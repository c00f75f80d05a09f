import { divideHalfUp, NANO_DIGITS, NANO_PER_USD, type WholeAmount } from '../money/money.ts';

/** Direction of rounding. Round what remains down and what is needed up, so that neither looks better than it is. */
export type UsdRounding = 'nearest' | 'down' | 'up';

/** Amounts from here on need no cents on a screen. */
const SHORT_FROM_USD = 10_000;
const NANO_PER_CENT = 10_000_000;
const UNKNOWN = 'unknown';

/** Formats nano-USD: `$1,234.56`, four decimals below a dollar, two significant digits below a cent (`$0.0000012`). */
export function formatUsd(nano: WholeAmount, rounding: UsdRounding = 'nearest'): string {
  const amount = BigInt(nano);
  if (amount < 0n) return `-${formatUsd(-amount, rounding)}`;
  return formatDecimals(amount, decimals(amount), rounding);
}

/** Formats a dollar amount as `formatUsd` does. null = `unknown`. */
export function formatDollars(usd: number | null, rounding?: UsdRounding): string {
  return usd === null ? UNKNOWN : formatUsd(toNano(usd), rounding);
}

const ROUND = { nearest: Math.round, down: Math.floor, up: Math.ceil } as const;

/** Formats a dollar amount for a screen: without cents from $10,000 on. null = `unknown`. */
export function shortDollars(usd: number | null, rounding: UsdRounding = 'nearest'): string {
  if (usd === null || Math.abs(usd) < SHORT_FROM_USD) return formatDollars(usd, rounding);
  return `${usd < 0 ? '-' : ''}$${groupThousands(ROUND[rounding](Math.abs(usd)))}`;
}

/** Formats the most that something may cost, for any screen. */
export function maximumDollars(usd: number): string {
  return shortDollars(usd, 'up');
}

/** Formats a dollar amount to the last digit that the ledger keeps. */
export function exactDollars(usd: number | null): string {
  if (usd === null) return 'The cost is unknown';
  const nano = toNano(usd);
  return `${nano < 0n ? '-' : ''}${formatDecimals(nano < 0n ? -nano : nano, NANO_DIGITS, 'nearest')}`;
}

/** Formats nano-USD in cents: `$1,234.56`, `-$0.50`, `<$0.01`, `>-$0.01`. null = `-`. */
export function formatCents(nano: WholeAmount | null): string {
  if (nano === null) return '-';
  if (nano < 0) return -nano < NANO_PER_CENT ? '>-$0.01' : `-${formatCents(-nano)}`;
  if (nano > 0 && nano < NANO_PER_CENT) return '<$0.01';
  const cents = String(divideHalfUp(nano, NANO_PER_CENT)).padStart(3, '0');
  return `$${groupThousands(cents.slice(0, -2))}.${cents.slice(-2)}`;
}

/** Formats a dollar amount in cents, as `formatCents` does: for amounts in a column. */
export function centDollars(usd: number): string {
  return formatCents(toNano(usd));
}

/** Returns a formatter for one column of dollar amounts: all have the same number of decimals. null = `-`. */
export function usdColumn(amounts: readonly (number | null)[]): (amount: number | null) => string {
  const isSmall = amounts.some((amount) => amount !== null && amount !== 0 && Math.abs(amount) < 1);
  const digits = isSmall ? 4 : 2;
  const least = 10n ** BigInt(NANO_DIGITS - digits);
  const write = (nano: bigint): string => {
    const [dollars, fraction] = roundDecimals(nano, digits, 'nearest');
    return `$${groupThousands(dollars)}.${fraction}`;
  };
  return (amount) => {
    if (amount === null) return '-';
    const nano = toNano(Math.abs(amount));
    return `${amount < 0 ? '-' : ''}${nano > 0n && nano < least / 2n ? `<${write(least)}` : write(nano)}`;
  };
}

/** Returns a whole number with a comma between its thousands: `1,234,567`. */
export function groupThousands(whole: WholeAmount | string): string {
  return String(whole).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

function toNano(usd: number): bigint {
  return BigInt(Math.round(usd * NANO_PER_USD));
}

/** Rounds to so many decimals, then drops trailing zeros down to cents. */
function formatDecimals(nano: bigint, digits: number, rounding: UsdRounding): string {
  const [dollars, fraction] = roundDecimals(nano, digits, rounding);
  return `$${groupThousands(dollars)}.${fraction.replace(/0+$/, '').padEnd(2, '0')}`;
}

/** Rounds to so many decimals. Returns the digits before and after the point. */
function roundDecimals(
  nano: bigint,
  digits: number,
  rounding: UsdRounding,
): readonly [dollars: string, fraction: string] {
  const unit = 10n ** BigInt(NANO_DIGITS - digits);
  const rounded = (nano + (rounding === 'up' ? unit - 1n : rounding === 'nearest' ? unit / 2n : 0n)) / unit;
  const text = rounded.toString().padStart(digits + 1, '0');
  return [text.slice(0, -digits), text.slice(-digits)];
}

function decimals(nano: bigint): number {
  if (nano === 0n || nano >= BigInt(NANO_PER_USD)) return 2;
  if (nano >= BigInt(NANO_PER_USD / 100)) return 4;
  return Math.min(NANO_DIGITS, NANO_DIGITS + 2 - nano.toString().length);
}
