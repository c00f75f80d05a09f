import type { ReactNode } from 'react';
import type { PriceShape } from '../../../../src/contract/prices.ts';
import { describeMeters } from '../../../../src/domain/text/metered-prices.ts';
import type { TableColumn } from '../../shared/ui/data-table.tsx';
import { Count, Money } from '../../shared/ui/values.tsx';
import { findRate } from './rates.ts';

type RateClasses = readonly (keyof PriceShape['usdPerMillion'])[];

/** Columns for model and rates, shared by all price tables. */
export const rateColumns: readonly TableColumn<PriceShape>[] = [
  { id: 'model', name: 'Model', sortBy: ({ model }) => model, cell: (price) => <PricedModel price={price} /> },
  { id: 'provider', name: 'Provider', wideOnly: true, sortBy: ({ provider }) => provider, cell: (row) => row.provider },
  rateColumn('input', 'Input', ['input']),
  rateColumn('output', 'Output', ['output']),
  { ...rateColumn('read', 'Cache read', ['cacheRead']), wideOnly: true },
  { ...rateColumn('write', 'Cache write', ['cacheWrite5m', 'cacheWrite']), wideOnly: true },
];

/** A model, with what it charges apart from tokens. */
function PricedModel({ price: { model, fees } }: { readonly price: PriceShape }): ReactNode {
  const meters = describeMeters(fees);
  return (
    <>
      {model}
      {meters.length > 0 && <span className="soft beneath">{meters.join(', ')}</span>}
    </>
  );
}

export const windowColumn: TableColumn<PriceShape> = {
  id: 'window',
  name: 'Context window',
  figures: true,
  wideOnly: true,
  sortBy: ({ contextWindow }) => contextWindow,
  cell: ({ contextWindow }) => (contextWindow === null ? '' : <Count of={contextWindow} unit="tokens" />),
};

function rateColumn(id: string, name: string, classes: RateClasses): TableColumn<PriceShape> {
  const rate = (price: PriceShape): number | null => tokenRate(price, classes);
  return { id, name, figures: true, sortBy: rate, cell: (price) => <Rate usd={rate(price)} /> };
}

/** Tokens of a model that is billed by other units have no rate. */
function tokenRate({ usdPerMillion, fees }: PriceShape, classes: RateClasses): number | null {
  const rate = findRate(usdPerMillion, ...classes);
  return rate === 0 && describeMeters(fees).length > 0 ? null : rate;
}

function Rate({ usd }: { readonly usd: number | null }): ReactNode {
  return usd === null ? <span className="soft">–</span> : <Money usd={usd} />;
}

/** Source of a price: the first part is shown, the whole text is in the title. */
export function SourceText({ source }: { readonly source: string }): ReactNode {
  const [first = source] = source.split(/;\s*/);
  return (
    <span className="clamped" title={source}>
      {first === 'user' ? 'Custom price' : first}
    </span>
  );
}
