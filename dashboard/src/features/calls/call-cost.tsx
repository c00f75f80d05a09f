import type { ReactNode } from 'react';
import type { EntryDetail } from '../../../../src/contract/usage.ts';
import { formatUsd } from '../../shared/format/money.ts';
import { isPerToken, itemName } from '../../shared/names/display-names.ts';
import { type TableColumn, DataTable } from '../../shared/ui/data-table.tsx';
import { Figure } from '../../shared/ui/figure.tsx';
import { More } from '../../shared/ui/more.tsx';
import { Count, Instant, Money } from '../../shared/ui/values.tsx';

interface CallProps {
  readonly call: EntryDetail;
}

export function CostFigures({ call }: CallProps): ReactNode {
  const { cost, inputTokens, outputTokens, thinkingTokens } = call;
  return (
    <div className="cards">
      <Figure
        name="Cost"
        value={<Money usd={cost} />}
        note={call.adjustments.length > 0 ? 'corrected later, see below' : undefined}
      />
      <Figure name="Input" value={<Count of={inputTokens} unit="tokens" />} note="tokens, cache included" />
      <Figure
        name="Output"
        value={<Count of={outputTokens} unit="tokens" />}
        note={thinkingTokens > 0 ? <>tokens, of which thinking: {thinkingTokens.toLocaleString('en')}</> : 'tokens'}
      />
    </div>
  );
}

type PriceLine = EntryDetail['lines'][number];

const priceLineColumns: readonly TableColumn<PriceLine>[] = [
  {
    id: 'item',
    name: 'What',
    cell: (line) => (
      <>
        {itemName(line.item)}
        <span className="soft beneath narrow">
          {line.model}, <UnitPrice line={line} />
        </span>
      </>
    ),
  },
  { id: 'model', name: 'Model', wideOnly: true, cell: ({ model }) => model },
  { id: 'count', name: 'Count', figures: true, cell: ({ count }) => <Count of={count} /> },
  { id: 'price', name: 'Price', figures: true, wideOnly: true, cell: (line) => <UnitPrice line={line} /> },
  { id: 'usd', name: 'Cost', figures: true, sortBy: ({ usd }) => usd, cell: ({ usd }) => <Money usd={usd} /> },
];

/** Each class of tokens with its own price; what was corrected later stands below. */
export function PriceLines({ call }: CallProps): ReactNode {
  const { explanation, lines, priceVersion, priceSources, adjustments } = call;
  return (
    <>
      <p className="soft">{explanation}</p>
      {lines.length > 0 && (
        <DataTable
          name="Price lines"
          columns={priceLineColumns}
          rows={lines}
          rowKey={({ model, item }) => `${model} ${item}`}
        />
      )}
      {priceVersion !== null && (
        <More title="Where the price comes from">
          <p>
            Version <code>{priceVersion}</code>, which stays with this call.
          </p>
          {priceSources.map((source) => (
            <p key={source}>{source}</p>
          ))}
        </More>
      )}
      {adjustments.map(({ recordedAt, costBefore, costAfter, reason }) => (
        <p key={recordedAt}>
          <Instant at={recordedAt} />: <Money usd={costBefore} /> became <Money usd={costAfter} /> ({reason}).
        </p>
      ))}
    </>
  );
}

const PER_MILLION = 1_000_000;

/** As price lists say it: per million tokens, or per use. */
function UnitPrice({ line }: { readonly line: PriceLine }): ReactNode {
  const { item, unitUsd, multiplier } = line;
  return (
    <>
      {isPerToken(item) ? `${formatUsd(unitUsd * PER_MILLION)} per M` : formatUsd(unitUsd)}
      {multiplier !== 1 && ` × ${multiplier}`}
    </>
  );
}
