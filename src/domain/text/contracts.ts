import { callsText } from './counts.ts';
import { formatDate } from './dates.ts';
import { exactDollars, formatDollars } from './money.ts';

/** A contract as JSON shows it. */
interface ShownContract {
  readonly provider: string | null;
  readonly model: string | null;
  readonly keyId: string | null;
  readonly tag: string | null;
  readonly multiplier: number | null;
  readonly usdPerMillion: Readonly<Record<string, number | undefined>>;
  readonly fees: Readonly<Record<string, number | undefined>>;
}

/** Describes the calls of a contract: `openai, model gpt-5*, team=search`. */
export function describeContractScope(
  { provider, model, keyId, tag }: Pick<ShownContract, 'provider' | 'model' | 'keyId' | 'tag'>,
  keyName: (id: string) => string = (id) => id,
): string {
  const parts = [provider, model && `model ${model}`, keyId && `key ${keyName(keyId)}`, tag];
  return parts.filter(Boolean).join(', ') || 'all calls';
}

const HUNDREDTHS = 10_000;

/** Describes the price of a contract: `24% discount`, `1.05 × list price`, `input $2.00, output $8.00`. */
export function describeContract({
  multiplier,
  usdPerMillion,
  fees,
}: Pick<ShownContract, 'multiplier' | 'usdPerMillion' | 'fees'>): string {
  if (multiplier === null)
    return Object.entries({ ...usdPerMillion, ...fees })
      .map(([name, usd = null]) => `${name} ${exactDollars(usd)}`)
      .join(', ');
  const percent = Math.round((1 - multiplier) * HUNDREDTHS) / 100;
  return percent >= 0 ? `${percent}% discount` : `${multiplier} × list price`;
}

/** Calls that are priced again, as JSON shows them. */
interface RepricedCalls {
  readonly calls: number;
  readonly costBefore: number;
  readonly costAfter: number;
  readonly from: string | null;
  readonly isComplete: boolean;
  readonly missingClasses: readonly string[];
}

/** Describes the recorded calls that a new contract or price changes, and usage that loses its price. */
export function describeRepriced(what: 'contract' | 'price', repriced: RepricedCalls): string {
  const { missingClasses } = repriced;
  const changed = describeChanged(what, repriced);
  if (missingClasses.length === 0) return changed;
  return `${changed} It has no price for ${missingClasses.join(', ')}: usage with them gets an unknown cost.`;
}

function describeChanged(
  what: 'contract' | 'price',
  { calls, costBefore, costAfter, from, isComplete }: RepricedCalls,
): string {
  if (calls === 0)
    return isComplete
      ? `The ${what} changes the cost of no recorded call.`
      : `The ${what} changes the cost of none of the newest calls. Older ones were not read.`;
  const number = isComplete ? callsText(calls) : `More than ${callsText(calls)}`;
  const since = from === null ? '' : ` since ${formatDate(from, 'UTC')}`;
  return `The ${what} changes the cost of recorded calls: ${number}${since}, from ${formatDollars(costBefore)} to ${formatDollars(costAfter)}.`;
}
