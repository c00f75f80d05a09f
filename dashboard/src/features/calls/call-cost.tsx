import type { ReactNode } from 'react';
import type { EntryDetail } from '../../../../src/contract/entries.ts';
import { isPerToken, itemName } from '../../shared/names/display-names.ts';
import { type TableColumn, DataTable } from '../../shared/ui/data-table.tsx';
import { Figure } from '../../shared/ui/figure.tsx';
import { More } from '../../shared/ui/more.tsx';
import { Count, Instant, Money } from '../../shared/ui/values.tsx';
import { isUnsettledBatch } from '../../../../src/domain/text/batches.ts';
import { maximumDollars, shortDollars } from '../../../../src/domain/text/money.ts';
import { formatCount } from '../../../../src/domain/text/counts.ts';

interface CallProps {
  readonly call: EntryDetail;
}

export function CostFigures({ call }: CallProps): ReactNode {
  const { cost, inputTokens, outputTokens, thinkingTokens } = call;
  const isOpen = isUnsettledBatch(call);
  return (
    <div className="cards">
      <Figure name="Cost" value={<Money usd={cost} />} note={callCostNote(call)} />
      <Figure
        name="Input"
        value={isOpen ? '–' : <Count of={inputTokens} unit="tokens" />}
        note="tokens, including cache"
      />
      <Figure
        name="Output"
        value={isOpen ? '–' : <Count of={outputTokens} unit="tokens" />}
        note={thinkingTokens > 0 ? <>tokens, including {formatCount(thinkingTokens)} thinking</> : 'tokens'}
      />
    </div>
  );
}

function callCostNote(call: EntryDetail): string | undefined {
  const { uncertainUpTo, adjustments } = call;
  if (isUnsettledBatch(call) && uncertainUpTo !== undefined) return `At most ${maximumDollars(uncertainUpTo)}`;
  return adjustments.length > 0 ? 'Corrected later, see below' : undefined;
}

type PriceLine = EntryDetail['lines'][number];

const priceLineColumns: readonly TableColumn<PriceLine>[] = [
  {
    id: 'item',
    name: 'Item',
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

/** Cost of a call by class of tokens, followed by later corrections. */
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
          rowKey={({ model, item, unitUsd, count }) => `${model} ${item} ${unitUsd} ${count}`}
        />
      )}
      {priceVersion !== null && (
        <More title="Price source">
          <p>
            Price version <code>{priceVersion}</code>. It stays with this call.
          </p>
          {priceSources.map((source) => (
            <p key={source}>{source}</p>
          ))}
        </More>
      )}
      {adjustments.map(({ recordedAt, costBefore, costAfter, reason }) => (
        <p key={recordedAt}>
          <Instant at={recordedAt} />: <Money usd={costBefore} /> → <Money usd={costAfter} /> ({reason})
        </p>
      ))}
    </>
  );
}

const PER_MILLION = 1_000_000;

/** Unit price as price lists state it: per million tokens, or per use. */
function UnitPrice({ line }: { readonly line: PriceLine }): ReactNode {
  const { item, unitUsd, multiplier } = line;
  return (
    <>
      {isPerToken(item) ? `${shortDollars(unitUsd * PER_MILLION)} per M` : shortDollars(unitUsd)}
      {multiplier !== 1 && ` × ${multiplier}`}
    </>
  );
}
