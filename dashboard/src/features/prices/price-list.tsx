import { Button, NativeSelect, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { PriceShape } from '../../../../src/contract/prices.ts';
import { useAddress } from '../../shared/filter/address.ts';
import { readText, type SearchParameters } from '../../shared/filter/usage-filter.ts';
import { Card } from '../../shared/ui/card.tsx';
import { DataTable, type TableColumn } from '../../shared/ui/data-table.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { rateColumns, SourceText, windowColumn } from './price-columns.tsx';
import { usePrices } from './queries.ts';
import { findPrices } from './rates.ts';
import { TablePlaceholder } from '../../shared/ui/placeholders.tsx';

/** Every current price, in US dollars per million tokens. */
export function PriceList(): ReactNode {
  const { search, change } = useAddress(readPricesAddress);
  const prices = usePrices();
  const [whole, setWhole] = useState(false);
  const providers = [...new Set(prices.data?.map(({ provider }) => provider))].toSorted();
  return (
    <Card
      title="Current prices"
      aside={
        <>
          <TextInput
            aria-label="Find model"
            placeholder="Find model"
            value={search.find ?? ''}
            onChange={({ currentTarget }) => change({ find: currentTarget.value || undefined }, { replace: true })}
          />
          <NativeSelect
            aria-label="Provider"
            value={search.provider ?? ''}
            onChange={({ currentTarget }) => change({ provider: currentTarget.value || undefined })}
            data={[{ value: '', label: 'All providers' }, ...providers]}
          />
        </>
      }
    >
      <p className="soft">
        US dollars per million tokens. Long prompts, service tiers and regions may change the price.
      </p>
      <Loaded of={prices} placeholder={<TablePlaceholder rows={10} />}>
        {(all) => {
          const found = findPrices(all, search);
          if (found.length === 0) return <NoPriceFound />;
          const shown = whole ? found : found.slice(0, FIRST_ROWS);
          return (
            <>
              <DataTable name="Prices" columns={priceColumns} rows={shown} rowKey={priceKey} />
              {shown.length < found.length && (
                <Button variant="subtle" mt="sm" onClick={() => setWhole(true)}>
                  Show all {found.length} prices
                </Button>
              )}
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}

interface PricesAddress {
  readonly provider?: string;
  /** Part of a model's name. */
  readonly find?: string;
}

/** Reads the search parameters of the page. */
function readPricesAddress(search: SearchParameters): PricesAddress {
  const provider = readText(search, 'provider');
  const find = readText(search, 'find');
  return { ...(provider !== undefined && { provider }), ...(find !== undefined && { find }) };
}

const priceColumns: readonly TableColumn<PriceShape>[] = [
  ...rateColumns,
  windowColumn,
  { id: 'source', name: 'Source', wideOnly: true, cell: ({ source }) => <SourceText source={source} /> },
];

/** Rows shown before "Show all". */
const FIRST_ROWS = 50;

function priceKey({ provider, model, version }: PriceShape): string {
  return `${provider} ${model} ${version}`;
}

function NoPriceFound(): ReactNode {
  return (
    <EmptyState icon="search" title="No matching price">
      Calls to a model without a price have an unknown cost, and blocking dollar limits refuse them. Set a custom price
      for the model.
    </EmptyState>
  );
}
