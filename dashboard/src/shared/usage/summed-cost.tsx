import type { ReactNode } from 'react';
import { formatUsd } from '../format/money.ts';
import { Money } from '../ui/values.tsx';
import { type CostSum, knownCost, unpricedText } from './cost-sum.ts';

/** What calls cost together, how far that is in doubt, and what is not in it. */
export function SummedCost(sum: CostSum): ReactNode {
  const { uncertainUpTo = 0 } = sum;
  const leftOut = unpricedText(sum);
  return (
    <>
      <Money usd={knownCost(sum)} />
      {uncertainUpTo > 0 && <span className="soft beneath"> up to {formatUsd(uncertainUpTo)} more</span>}
      {leftOut !== null && <span className="soft beneath"> {leftOut}</span>}
    </>
  );
}
