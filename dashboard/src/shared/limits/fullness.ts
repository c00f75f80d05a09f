import type { LimitStanding } from '../../../../src/api/contract-limits.ts';

type Figures = Pick<LimitStanding, 'counted' | 'held' | 'amountInForce'>;

/** The part of the amount that is counted or held, 0 to 1 and beyond. Of an amount of 0, all is. */
export function fullness({ counted, held, amountInForce }: Figures): number {
  return amountInForce === 0 ? 1 : (counted + held) / amountInForce;
}
