import { type Limit, NO_VALUE, OTHER_VALUE, type LimitUnit, type LimitWindow } from '../limits/limit.ts';
import { scopeText } from '../limits/limit-fields.ts';
import { formatUsd, type UsdRounding, type WholeAmount } from '../money/money.ts';

type DescribedLimit = Pick<Limit, 'unit' | 'amount' | 'window' | 'scope'>;

const NOUNS: Readonly<Record<Exclude<LimitUnit, 'usd'>, readonly [one: string, many: string]>> = {
  calls: ['call', 'calls'],
  tokens: ['token', 'tokens'],
  input_tokens: ['input token', 'input tokens'],
  output_tokens: ['output token', 'output tokens'],
  concurrency: ['call', 'calls'],
};

const WINDOWS: Readonly<Record<LimitWindow, string>> = {
  minute: 'a minute',
  hour: 'an hour',
  day: 'a day',
  week: 'a week',
  month: 'a month',
  total: 'in total',
};

/** A limit in words: `$5.00 a day for each user`, `8 calls at once for key batch`. */
export function describeLimit(
  { unit, amount, window, scope }: DescribedLimit,
  keyName?: (id: string) => string,
): string {
  const span = unit === 'concurrency' ? 'at once' : WINDOWS[window];
  return `${describeAmount(unit, amount)} ${span} for ${scopeText(scope, keyName)}`;
}

/** An amount in a limit's unit, usd in nano-USD: `$5.00`, `1 call`, `12,000 input tokens`. */
export function describeAmount(unit: LimitUnit, amount: WholeAmount, rounding?: UsdRounding): string {
  if (unit === 'usd') return formatUsd(amount, rounding);
  const [one, many] = NOUNS[unit];
  return `${amount.toLocaleString('en')} ${BigInt(amount) === 1n ? one : many}`;
}

/** Which of its counters, where a limit counts each value apart: `user=ann`; '' for others. */
export function describeValue({ scope }: Pick<Limit, 'scope'>, value: string): string {
  if (scope.kind !== 'each_tag') return '';
  if (value === NO_VALUE) return `calls without ${scope.key}`;
  if (value === OTHER_VALUE) return `further values of ${scope.key}`;
  return `${scope.key}=${value}`;
}
