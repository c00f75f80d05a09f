import { usdFromNano } from '../../core/money.ts';
import type { Totals } from '../../storage/store.ts';

export interface OpenDoubts {
  unpricedCalls?: number;
  uncertainCalls?: number;
  /** US dollars. */
  uncertainUpTo?: number;
}

/** What a sum leaves open; fields that would be 0 are left out. */
export function openDoubts(totals: Totals): OpenDoubts {
  return {
    ...(totals.unpricedCalls > 0 && { unpricedCalls: totals.unpricedCalls }),
    ...(totals.uncertainCalls > 0 && { uncertainCalls: totals.uncertainCalls }),
    ...(totals.uncertainUpTo > 0n && { uncertainUpTo: usdFromNano(totals.uncertainUpTo) }),
  };
}
