import type { ReactNode } from 'react';
import { Money } from '../ui/values.tsx';
import { type CostSum, knownCost, unpricedText } from './cost-sum.ts';
import { maximumDollars } from '../../../../src/domain/text/money.ts';

/** Sum of costs, with its uncertainty and the calls that it leaves out. */
export function SummedCost(sum: CostSum): ReactNode {
  const { uncertainUpTo = 0 } = sum;
  const leftOut = unpricedText(sum);
  return (
    <>
      <Money usd={knownCost(sum)} />
      {uncertainUpTo > 0 && <span className="soft beneath"> up to {maximumDollars(uncertainUpTo)} more</span>}
      {leftOut !== null && <span className="soft beneath"> {leftOut}</span>}
    </>
  );
}
