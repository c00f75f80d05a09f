import type { AssistantSums } from '../../../../src/contract/assistants.ts';
import { PlanCoverage, retailSum } from './plan-coverage.tsx';
import type { TableColumn } from '../ui/data-table.tsx';
import { Count } from '../ui/values.tsx';
import { knownCost } from '../usage/cost-sum.ts';
import { SummedCost } from '../usage/summed-cost.tsx';

/** Columns of sums: calls, tokens, cost, and what plans cover. On a phone the coverage is under the cost. */
export const USAGE_COLUMNS: readonly TableColumn<AssistantSums>[] = [
  {
    id: 'calls',
    name: 'Calls',
    figures: true,
    wideOnly: true,
    sortBy: ({ calls }) => calls,
    cell: ({ calls }) => <Count of={calls} />,
  },
  {
    id: 'tokens',
    name: 'Tokens',
    figures: true,
    wideOnly: true,
    sortBy: countTokens,
    cell: (row) => <Count of={countTokens(row)} unit="tokens" />,
  },
  {
    id: 'cost',
    name: 'Usage',
    figures: true,
    sortBy: (row) => knownCost(retailSum(row)),
    cell: (row) => (
      <>
        <SummedCost {...retailSum(row)} />
        <span className="beneath narrow">
          <PlanCoverage {...row} />
        </span>
      </>
    ),
  },
  { id: 'plan', name: 'Plan', wideOnly: true, sortBy: ({ coveredCost }) => coveredCost, cell: PlanCoverage },
];

function countTokens({ inputTokens, outputTokens }: AssistantSums): number {
  return inputTokens + outputTokens;
}
