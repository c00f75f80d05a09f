const WHOLE_FROM = 10_000;
const SMALL_DIGITS = 3;
/** The ledger stores nano-dollars: nine digits. */
const EXACT_DIGITS = 9;

const whole = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 0 });
const cents = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const exact = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumFractionDigits: EXACT_DIGITS,
});

/** Formats dollars with readable precision: `$1,204,511`, `$12.40`, `$0.0000231`; null is `Unknown`, never 0. */
export function formatUsd(usd: number | null): string {
  if (usd === null) return 'Unknown';
  const size = Math.abs(usd);
  if (size >= WHOLE_FROM) return whole.format(usd);
  if (size >= 1 || size === 0) return cents.format(usd);
  return small(usd);
}

/** Formats dollars with every digit of the ledger. */
export function exactUsd(usd: number | null): string {
  return usd === null ? 'Unknown cost' : exact.format(usd);
}

/** Shows cents, or below a cent the first three significant digits. */
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
