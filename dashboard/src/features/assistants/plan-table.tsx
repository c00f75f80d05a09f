import type { ReactNode } from 'react';
import type { AssistantUsage } from '../../../../src/contract/assistants.ts';
import { DataTable, type TableColumn } from '../../shared/ui/data-table.tsx';
import { Money } from '../../shared/ui/values.tsx';

type PlanValues = NonNullable<AssistantUsage['plans']>;
type PlanRow = PlanValues['providers'][number];

/** Subscriptions in the period: what their usage would cost without them, and what they cost. */
export function PlanTable({ plans }: { readonly plans: PlanValues }): ReactNode {
  const { providers, ...sums } = plans;
  return (
    <DataTable
      name="Plans"
      columns={planColumns}
      rows={providers}
      rowKey={({ provider }) => provider}
      {...(providers.length > 1 && { foot: [{ ...sums, provider: 'Total', names: ['Total'] }] })}
    />
  );
}

const planColumns: readonly TableColumn<PlanRow>[] = [
  {
    id: 'names',
    name: 'Plan',
    cell: ({ names, subscriptionCost }) => (
      <>
        {[...new Set(names)].join(', ')}
        <span className="soft beneath narrow">
          Costs <Money usd={subscriptionCost} />
        </span>
      </>
    ),
  },
  { id: 'retail', name: 'Covered usage', figures: true, cell: ({ retailCost }) => <Money usd={retailCost} /> },
  {
    id: 'cost',
    name: 'Plan cost',
    figures: true,
    wideOnly: true,
    cell: ({ subscriptionCost }) => <Money usd={subscriptionCost} />,
  },
  { id: 'saved', name: 'Saved', figures: true, cell: ({ netSavings }) => <Money usd={netSavings} /> },
];
