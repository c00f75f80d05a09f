import type { ReactNode } from 'react';
import type { PriceShape } from '../../../../src/contract/usage.ts';
import { Count } from '../../shared/theme/count.tsx';
import { Money } from '../../shared/theme/money.tsx';
import type { Column } from '../../shared/ui/data-table.tsx';
import { rateOf } from './rates.ts';

type Classes = readonly (keyof PriceShape['usdPerMillion'])[];

/** Model and rates, as every list of prices shows them. */
export const rateColumns: readonly Column<PriceShape>[] = [
  { id: 'model', name: 'Model', sortBy: ({ model }) => model, cell: ({ model }) => model },
  { id: 'provider', name: 'Provider', wideOnly: true, sortBy: ({ provider }) => provider, cell: (row) => row.provider },
  rates('input', 'Input', ['input']),
  rates('output', 'Output', ['output']),
  { ...rates('read', 'Cache read', ['cacheRead']), wideOnly: true },
  { ...rates('write', 'Cache write', ['cacheWrite5m', 'cacheWrite']), wideOnly: true },
];

export const windowColumn: Column<PriceShape> = {
  id: 'window',
  name: 'Context',
  figures: true,
  wideOnly: true,
  sortBy: ({ contextWindow }) => contextWindow,
  cell: ({ contextWindow }) => (contextWindow === null ? '' : <Count of={contextWindow} unit="tokens" />),
};

function rates(id: string, name: string, classes: Classes): Column<PriceShape> {
  const rate = (price: PriceShape): number | null => rateOf(price.usdPerMillion, ...classes);
  return { id, name, figures: true, sortBy: rate, cell: (price) => <Rate usd={rate(price)} /> };
}

function Rate({ usd }: { readonly usd: number | null }): ReactNode {
  return usd === null ? <span className="soft">–</span> : <Money usd={usd} />;
}
