import type { ReactNode } from 'react';
import { callsText, countNoun } from '../../../../src/domain/text/counts.ts';
import type { PriceCoverage } from '../../../../src/contract/prices.ts';
import { Card } from '../../shared/ui/card.tsx';
import { DataTable, type TableColumn } from '../../shared/ui/data-table.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Note } from '../../shared/ui/note.tsx';
import { Count, Money } from '../../shared/ui/values.tsx';
import { knownCost } from '../../shared/usage/cost-sum.ts';
import { SourceText } from './price-columns.tsx';
import { usePriceCoverage } from './queries.ts';
import { formatChange } from '../../../../src/domain/text/percent.ts';
import { formatDate } from '../../../../src/domain/text/dates.ts';
import { TablePlaceholder } from '../../shared/ui/placeholders.tsx';

/** Models used in the last 30 days, those without a price first. */
export function CoverageCard(): ReactNode {
  return (
    <Card title="Models used in the last 30 days">
      <Loaded of={usePriceCoverage()} placeholder={<TablePlaceholder rows={6} />}>
        {(coverage) => (
          <>
            <PriceAgeNote lists={coverage.priceLists} />
            {coverage.models.length === 0 ? <NoModelUsed /> : <CoverageTable coverage={coverage} />}
          </>
        )}
      </Loaded>
    </Card>
  );
}

/** Age of the price lists; a warning once some of their prices have probably changed. */
export function PriceAgeNote({ lists }: { readonly lists: PriceCoverage['priceLists'] }): ReactNode {
  const checked = `Price lists checked on ${formatDate(lists.checkedAt, 'UTC')} (${countNoun(lists.ageDays, 'day')} ago).`;
  if (!lists.isOld) return <p className="soft">{checked}</p>;
  return (
    <Note kind="warn">
      <p>
        {checked} Some prices have probably changed. Update Tollbook, or set <code>SVC_PRICES_URL</code> to a current
        list.
      </p>
    </Note>
  );
}

type UsedModel = PriceCoverage['models'][number];

function CoverageTable({ coverage }: { readonly coverage: PriceCoverage }): ReactNode {
  const { models, unpricedCalls } = coverage;
  return (
    <>
      {unpricedCalls > 0 && (
        <Note kind="warn">
          <p>
            {callsText(unpricedCalls)} without a price, so with unknown cost. Set a price to correct{' '}
            {unpricedCalls === 1 ? 'it' : 'them'}.
          </p>
          <PageLink to="/calls" search={{ only: 'unpriced' }}>
            {' '}
            View these calls{' '}
          </PageLink>
        </Note>
      )}
      <DataTable name="Models used" columns={usedModelColumns} rows={models} rowKey={modelKey} />
    </>
  );
}

function modelKey({ provider, model }: UsedModel): string {
  return `${provider} ${model ?? ''}`;
}

const usedModelColumns: readonly TableColumn<UsedModel>[] = [
  {
    id: 'model',
    name: 'Model',
    sortBy: ({ model }) => model,
    cell: ({ provider, model }) =>
      model === null ? (
        <span className="soft">No response</span>
      ) : (
        <PageLink to="/calls" search={{ provider, model }}>
          {model}
        </PageLink>
      ),
  },
  { id: 'provider', name: 'Provider', wideOnly: true, sortBy: ({ provider }) => provider, cell: (row) => row.provider },
  {
    id: 'calls',
    name: 'Calls',
    figures: true,
    sortBy: ({ calls }) => calls,
    cell: ({ calls, unpricedCalls }) => (
      <>
        <Count of={calls} />
        {unpricedCalls > 0 && (
          <span className="soft beneath narrow">
            <Count of={unpricedCalls} /> unpriced
          </span>
        )}
      </>
    ),
  },
  {
    id: 'unpriced',
    name: 'Unpriced',
    figures: true,
    wideOnly: true,
    sortBy: ({ unpricedCalls }) => unpricedCalls,
    cell: ({ unpricedCalls }) => (unpricedCalls === 0 ? <span className="soft">–</span> : <Count of={unpricedCalls} />),
  },
  { id: 'cost', name: 'Cost', figures: true, sortBy: knownCost, cell: (row) => <Money usd={knownCost(row)} /> },
  {
    id: 'price',
    name: 'Price source',
    wideOnly: true,
    cell: ({ price, model }) =>
      price ? <SourceText source={price.source} /> : model !== null && <strong>No price</strong>,
  },
  {
    id: 'charged',
    name: 'Charged',
    figures: true,
    wideOnly: true,
    cell: ({ statedPrice }) =>
      statedPrice && (
        <span title={`Since ${formatDate(statedPrice.since, 'UTC')}`}>{formatChange(statedPrice.ratio, 1)}</span>
      ),
  },
];

function NoModelUsed(): ReactNode {
  return (
    <EmptyState icon="prices" title="No models used yet">
      After the first call, this list shows each used model and the source of its price.
    </EmptyState>
  );
}
