const WHOLE_FROM = 10_000;
const SMALL_DIGITS = 3;
/** The book keeps nano-dollars: there is nothing behind the ninth digit. */
const EXACT_DIGITS = 9;

const whole = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 0 });
const cents = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const exact = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumFractionDigits: EXACT_DIGITS,
});

/**
 * Dollars with as many digits as help: `$1,204,511`, `$12.40`, `$0.0000231`. Unknown is said, and never shown as 0.
 */
export function formatUsd(usd: number | null): string {
  if (usd === null) return 'unknown';
  const size = Math.abs(usd);
  if (size >= WHOLE_FROM) return whole.format(usd);
  if (size >= 1 || size === 0) return cents.format(usd);
  return small(usd);
}

/** Every digit that the book has. */
export function exactUsd(usd: number | null): string {
  return usd === null ? 'The cost is not known' : exact.format(usd);
}

/** At least cents, and below them the first three digits that are not 0. */
function small(usd: number): string {
  const leadingZeros = -Math.floor(Math.log10(Math.abs(usd))) - 1;
  const digits = Math.min(EXACT_DIGITS, leadingZeros + SMALL_DIGITS);
  const formatter = new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  });
  return formatter.format(usd);
}
