import type { ReactNode } from 'react';
import { formatCount } from '../format/number.ts';
import { Money } from '../look/money.tsx';
import { type CostSum, knownCost } from './known-cost.ts';

/** What calls cost together, and how many of them are not in it. */
export function SummedCost(sum: CostSum): ReactNode {
  const { unpricedCalls = 0 } = sum;
  return (
    <>
      <Money usd={knownCost(sum)} />
      {unpricedCalls > 0 && <span className="soft beneath"> {formatCount(unpricedCalls)} without a price</span>}
    </>
  );
}
