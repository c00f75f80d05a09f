import { Button, Checkbox } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { PriceChangeShape, PriceUpdateShape } from '../../../../src/contract/prices.ts';
import { countNoun } from '../../../../src/domain/text/counts.ts';
import { describeFigure, describePriceChange } from '../../../../src/domain/text/price-changes.ts';
import { useOwnsInstallation } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { DataTable, type TableColumn } from '../../shared/ui/data-table.tsx';
import { ErrorNote } from '../../shared/ui/note.tsx';
import { useApplyPrices, usePriceUpdate } from './queries.ts';

/** A fetched price list that waits, with what it changes; nothing if none waits. */
export function PriceUpdateCard(): ReactNode {
  const { data } = usePriceUpdate();
  return data?.update ? <WaitingUpdate update={data.update} /> : null;
}

function WaitingUpdate({ update }: { readonly update: PriceUpdateShape }): ReactNode {
  const mayApply = useOwnsInstallation();
  const rest = update.total - update.changes.length;
  return (
    <Card title="New price list">
      <p className="soft">
        {countNoun(update.total, 'change')} from {update.source}. Nothing is applied yet.
        {!mayApply && ' The owner of the installation can apply it.'}
      </p>
      <DataTable name="Price changes" columns={changeColumns} rows={update.changes} rowKey={priceChangeKey} />
      {rest > 0 && <p className="soft">{countNoun(rest, 'more change')}</p>}
      {mayApply && <ApplyPrices update={update} />}
    </Card>
  );
}

function priceChangeKey({ provider, model }: PriceChangeShape): string {
  return `${provider} ${model}`;
}

const changeColumns: readonly TableColumn<PriceChangeShape>[] = [
  { id: 'model', name: 'Model', sortBy: ({ model }) => model, cell: (change) => <ChangedModel change={change} /> },
  { id: 'provider', name: 'Provider', wideOnly: true, sortBy: ({ provider }) => provider, cell: (row) => row.provider },
  { id: 'change', name: 'Change', wideOnly: true, cell: describePriceChange },
  { id: 'figures', name: 'USD per million tokens', cell: (change) => <ChangedFigures change={change} /> },
];

function ChangedModel({ change }: { readonly change: PriceChangeShape }): ReactNode {
  return (
    <>
      {change.model}
      <span className="soft beneath narrow">{describePriceChange(change)}</span>
    </>
  );
}

/** Figures of a new price that are shown: its rates come first. */
const NEW_FIGURES_MAX = 4;

function ChangedFigures({ change: { kind, figures } }: { readonly change: PriceChangeShape }): ReactNode {
  const shown = kind === 'new' ? figures.slice(0, NEW_FIGURES_MAX) : figures;
  const rest = figures.length - shown.length;
  return (
    <>
      {shown.map((figure) => (
        <div key={figure.name}>{describeFigure(figure)}</div>
      ))}
      {rest > 0 && <div className="soft">{countNoun(rest, 'more figure')}</div>}
    </>
  );
}

function ApplyPrices({ update }: { readonly update: PriceUpdateShape }): ReactNode {
  const [accepts, setAccepts] = useState(false);
  const apply = useApplyPrices();
  return (
    <>
      {update.large > 0 && (
        <Checkbox
          label={`Accept ${countNoun(update.large, 'large change')}`}
          checked={accepts}
          onChange={({ currentTarget }) => setAccepts(currentTarget.checked)}
        />
      )}
      {apply.error && <ErrorNote error={apply.error} />}
      <Button
        mt="sm"
        loading={apply.isPending}
        disabled={update.large > 0 && !accepts}
        onClick={() => apply.mutate({ id: update.id, acceptLarge: accepts })}
      >
        Apply price list
      </Button>
    </>
  );
}
