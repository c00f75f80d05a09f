import type { ReactNode } from 'react';
import type { AssistantSums } from '../../../../src/contract/assistants.ts';
import { formatPart } from '../../../../src/domain/text/percent.ts';
import { StateBadge } from '../ui/values.tsx';
import type { CostSum } from '../usage/cost-sum.ts';

type PlanSums = Pick<AssistantSums, 'retailCost' | 'coveredCost'>;

/** Says if a subscription covers usage: all of it, a part or nothing. */
export function PlanCoverage({ retailCost, coveredCost }: PlanSums): ReactNode {
  if (retailCost === 0) return <span className="soft">–</span>;
  if (coveredCost === 0) return <StateBadge color="gray">Pay as you go</StateBadge>;
  const part = coveredCost === retailCost ? 'Covered' : `${formatPart(coveredCost, retailCost)} covered`;
  return <StateBadge color="teal">{part}</StateBadge>;
}

/** Returns sums as a cost at pay-as-you-go prices. */
export function retailSum({ retailCost, ...sums }: AssistantSums): CostSum {
  return { ...sums, cost: retailCost };
}
