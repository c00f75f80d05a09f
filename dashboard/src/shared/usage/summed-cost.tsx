import type { ReactNode } from 'react';
import { formatUsd } from '../format/money.ts';
import { formatCount } from '../format/number.ts';
import { Money } from '../look/money.tsx';
import { type CostSum, knownCost } from './known-cost.ts';

/** What calls cost together, how far that is in doubt, and how many of them are not in it. */
export function SummedCost(sum: CostSum): ReactNode {
  const { unpricedCalls = 0, uncertainUpTo = 0 } = sum;
  return (
    <>
      <Money usd={knownCost(sum)} />
      {uncertainUpTo > 0 && <span className="soft beneath"> up to {formatUsd(uncertainUpTo)} more</span>}
      {unpricedCalls > 0 && <span className="soft beneath"> {formatCount(unpricedCalls)} without a price</span>}
    </>
  );
}
