import type { LimitUnit } from '../limits/limit.ts';

/** Largest dollars that a raise may have; see `checkRaise`. */
const USD_MAX = 9_000_000;

/** A counter of a limit to raise. Amounts as shown. */
interface RaisedLimit {
  readonly id: string;
  readonly unit: LimitUnit;
  readonly amount: number;
  /** Counted and held, with the call that shall fit; absent = unknown. */
  readonly used?: number;
}

/** Returns a command that runs as it is: it raises a limit for two hours to twice its amount, or more if calls need it. */
export function raiseCommand({ id, unit, amount, used = 0 }: RaisedLimit): string {
  return `tollbook limits raise ${id} --amount ${raisedAmount(unit, Math.max(2 * amount, used))} --for 2h`;
}

/** Rounds up to whole cents or counts, above 0. */
function raisedAmount(unit: LimitUnit, amount: number): string {
  if (unit !== 'usd') return String(Math.min(Number.MAX_SAFE_INTEGER, Math.max(1, Math.ceil(amount))));
  // Twelve digits: 100 × 0.07 is above 7 as a number.
  const cents = Math.max(1, Math.ceil(Number((Math.min(USD_MAX, amount) * 100).toPrecision(12))));
  return String(cents / 100);
}
