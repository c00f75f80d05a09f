import type { Limit } from '../limits/limit.ts';
import { formatDateTime } from './dates.ts';
import { describeTimeLeft } from './durations.ts';
import { describeRemaining, describeShownAmount } from './limits.ts';
import { MINUTE_MS } from '../time/units.ts';

/** A limit and what is left of it, for a sentence. Amounts as shown; null = not known now. */
export interface LimitLeft extends Pick<Limit, 'unit' | 'action'> {
  /** For example `$5.00 a day for all calls`. */
  readonly description: string;
  readonly amount: number;
  readonly held: number | null;
  readonly remaining: number | null;
  /** ISO 8601; null = never. */
  readonly resetsAt: string | null;
}

/** Says what may still be used of a limit, until when, and what happens then. */
export function describeLeft(limit: LimitLeft, now: number): string {
  const { unit, description, remaining, resetsAt } = limit;
  if (remaining === null) return `${description}: what it has used is read from the ledger with the next call.`;
  const until = resetsAt === null ? '' : ` until ${formatDateTime(resetsAt, 'UTC')} UTC (${timeUntil(resetsAt, now)})`;
  const left =
    remaining > 0 ? `${describeRemaining(unit, remaining)} ${isPlural(limit) ? 'are' : 'is'} left` : 'Nothing is left';
  return `${left}${until} of ${description}. ${describeHeld(limit)}${describeConsequence(limit)}`;
}

function isPlural({ unit, remaining }: LimitLeft): boolean {
  return unit !== 'usd' && remaining !== 1;
}

function timeUntil(resetsAt: string, now: number): string {
  const ms = Math.max(0, Date.parse(resetsAt) - now);
  return ms < MINUTE_MS ? 'in less than a minute' : `in ${describeTimeLeft(ms)}`;
}

function describeHeld({ unit, held }: LimitLeft): string {
  if (held === null || held === 0 || unit === 'concurrency') return '';
  return `Running calls hold ${describeShownAmount(unit, held)}, and return what they don't use. `;
}

function describeConsequence({ unit, action, remaining, resetsAt }: LimitLeft): string {
  if (action === 'warn') return 'This limit only warns: calls continue above it.';
  if (unit === 'concurrency') return 'Each call that ends makes room for another.';
  if (remaining === 0)
    return resetsAt === null ? 'Calls are refused until someone raises it.' : 'Calls are refused until it resets.';
  return unit === 'calls'
    ? 'Further calls are refused.'
    : 'A call that may need more than that is shortened or refused.';
}
