import type { ReactNode } from 'react';
import type { SavingsBreakdown } from '../../../../src/contract/sync.ts';
import { useMay } from '../../shared/session/session.ts';
import { type TableColumn, DataTable } from '../../shared/ui/data-table.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Count, Money } from '../../shared/ui/values.tsx';
import { useSavingsBreakdown } from './queries.ts';
import type { SavingsAddress } from './savings-address.ts';
import { formatPercent } from '../../../../src/domain/text/percent.ts';
import { TablePlaceholder } from '../../shared/ui/placeholders.tsx';

type ModelUsage = SavingsBreakdown['rows'][number];

/** Usage by model in the period. */
export function SavingsBreakdownTable({ address }: { readonly address: SavingsAddress }): ReactNode {
  return (
    <Loaded of={useSavingsBreakdown(address)} placeholder={<TablePlaceholder rows={4} />}>
      {({ rows }) => (rows.length === 0 ? <NoLocalUsage /> : <ModelTable rows={rows} />)}
    </Loaded>
  );
}

function ModelTable({ rows }: { readonly rows: readonly ModelUsage[] }): ReactNode {
  return (
    <DataTable
      name="Usage by model"
      columns={modelColumns}
      rows={rows}
      rowKey={({ provider, model, covered }) => `${provider} ${model} ${covered}`}
      sort={{ column: 'retail', descending: true }}
    />
  );
}

const modelColumns: readonly TableColumn<ModelUsage>[] = [
  { id: 'model', name: 'Model', sortBy: ({ model }) => model, cell: ({ model }) => model },
  { id: 'covered', name: 'Plan', wideOnly: true, cell: ({ covered }) => (covered ? 'Covered' : 'Not covered') },
  countColumn('calls', 'Calls', ({ calls }) => calls),
  countColumn('input', 'Input', ({ inputTokens }) => inputTokens),
  countColumn('output', 'Output', ({ outputTokens }) => outputTokens),
  countColumn('reads', 'Cache reads', ({ cacheReadTokens }) => cacheReadTokens),
  countColumn('writes', 'Cache writes', ({ cacheCreationTokens }) => cacheCreationTokens),
  {
    id: 'retail',
    name: 'Pay-as-you-go',
    figures: true,
    sortBy: ({ retailCost }) => retailCost,
    cell: ({ retailCost }) => <Money usd={retailCost} />,
  },
  { id: 'share', name: 'Share', figures: true, cell: ({ percentage }) => formatPercent(percentage / 100) },
];

function countColumn(id: string, name: string, count: (row: ModelUsage) => number): TableColumn<ModelUsage> {
  return { id, name, figures: true, wideOnly: true, sortBy: count, cell: (row) => <Count of={count(row)} /> };
}

function NoLocalUsage(): ReactNode {
  const mayUpload = useMay('work');
  return (
    <EmptyState icon="calls" title="No local usage in this period">
      {mayUpload ? (
        <>
          To upload usage of the coding assistants on this machine, run <code>npx tollbook sync</code>.
        </>
      ) : (
        'Usage of coding assistants appears after members sync it.'
      )}
    </EmptyState>
  );
}
