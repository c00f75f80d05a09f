import type { LimitStanding } from '../../../../src/contract/limits.ts';
import { formatShare } from '../format/number.ts';
import { amountText, type LimitUnit } from './limit-words.ts';

type LimitUsage = Pick<LimitStanding, 'counted' | 'held' | 'amountInForce'>;

/** The part of the amount that is counted or held, 0 to 1 and beyond. Of an amount of 0, all is. */
export function fullness({ counted, held, amountInForce }: LimitUsage): number {
  return amountInForce === 0 ? 1 : (counted + held) / amountInForce;
}

/** `67% of $5.00 used`: it stands beside what is left, and may not be taken for it. */
export function usedText(of: LimitUsage, unit: LimitUnit): string {
  if (of.amountInForce === 0) return 'it allows nothing';
  return `${formatShare(fullness(of))} of ${amountText(unit, of.amountInForce)} used`;
}
