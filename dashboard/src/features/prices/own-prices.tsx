import { type ReactNode, useState } from 'react';
import type { UserPriceShape } from '../../../../src/contract/usage.ts';
import { formatDay } from '../../shared/format/time.ts';
import { ConfirmDialog } from '../../shared/ui/confirm-dialog.tsx';
import { type TableColumn, DataTable } from '../../shared/ui/data-table.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { RowButton } from '../../shared/ui/row-button.tsx';
import { useMay } from '../../shared/session/session.ts';
import { rateColumns } from './rate-columns.tsx';
import { useCustomPrices, useRemovePrice } from './use-prices.ts';
import { isolated } from '../../shared/format/isolated.ts';

/** Contract rates, discounts and models of one's own: they win over every list. */
export function CustomPrices(): ReactNode {
  const mayChange = useMay('manage');
  return (
    <Loaded of={useCustomPrices()}>
      {(prices) =>
        prices.length === 0 ? (
          <p className="soft">
            None. Contract rates, discounts and self-hosted models are set here, and win over every list.
          </p>
        ) : (
          <DataTable
            name="Your own prices"
            columns={mayChange ? [...customPriceColumns, removePriceColumn] : customPriceColumns}
            rows={prices}
            rowKey={({ id }) => id}
          />
        )
      }
    </Loaded>
  );
}

const customPriceColumns: readonly TableColumn<UserPriceShape>[] = [
  {
    id: 'model',
    name: 'Model',
    sortBy: ({ model }) => model,
    cell: (price) => (
      <>
        {price.model}
        <span className="soft beneath narrow">{price.from === null ? 'always' : `from ${fromText(price)}`}</span>
      </>
    ),
  },
  ...rateColumns.filter(({ id }) => id !== 'model'),
  { id: 'from', name: 'From', wideOnly: true, sortBy: ({ from }) => from, cell: fromText },
];

function fromText({ from }: UserPriceShape): string {
  return from === null ? 'always' : formatDay(from, 'UTC');
}

const removePriceColumn: TableColumn<UserPriceShape> = {
  id: 'remove',
  name: '',
  cell: (price) => <RemovePriceButton price={price} />,
};

function RemovePriceButton({ price }: { readonly price: UserPriceShape }): ReactNode {
  const [open, setOpen] = useState(false);
  const { mutate, isPending, error } = useRemovePrice(price.id);
  const close = (): void => setOpen(false);
  return (
    <>
      <RowButton deed="Remove" of={price.model} onClick={() => setOpen(true)} />
      {open && (
        <ConfirmDialog
          title={`Remove the price of ${isolated(price.model)}`}
          deed="Remove it"
          busy={isPending}
          error={error}
          onConfirm={() => mutate(undefined, { onSuccess: close })}
          onClose={close}
        >
          Calls to come go by the lists again. Calls in the book keep the price that they were given.
        </ConfirmDialog>
      )}
    </>
  );
}
