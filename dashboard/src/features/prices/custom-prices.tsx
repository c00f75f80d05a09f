import { Button, NativeSelect, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { UserPriceShape } from '../../../../src/contract/usage.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { formatDay } from '../../shared/format/time.ts';
import { itemName } from '../../shared/names/display-names.ts';
import { useProviders } from '../../shared/names/queries.ts';
import { useMay } from '../../shared/session/session.ts';
import { DataTable, RowButton, type TableColumn } from '../../shared/ui/data-table.tsx';
import { ConfirmDialog, FormDialog } from '../../shared/ui/dialog.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { rateColumns } from './price-columns.tsx';
import { useCustomPrices, useRemovePrice, useSetPrice } from './queries.ts';
import { PRICED_CLASSES, readPrice } from './read-price.ts';

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

/** A price says all there is: a class that is left empty has no price. */
function PriceDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { data: providers = [] } = useProviders();
  // The others go by the prices of one of these.
  const ownPriced = providers.filter(({ id, priceProvider }) => id === priceProvider);
  const set = useSetPrice();
  return (
    <FormDialog
      title="Set a price"
      deed="Set"
      busy={set.isPending}
      error={set.error}
      onClose={onClose}
      onSubmit={(fields) => set.mutate(readPrice(fields), { onSuccess: onClose })}
    >
      <NativeSelect
        name="provider"
        label="Provider"
        data={ownPriced.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <TextInput name="model" label="Model" description="Its name as calls name it" required />
      <p className="soft">US dollars per million tokens. What is left empty has no price.</p>
      <div className="cards">
        {PRICED_CLASSES.map((item) => (
          <TextInput
            key={item}
            name={item}
            label={itemName(item)}
            inputMode="decimal"
            required={item === 'input' || item === 'output'}
          />
        ))}
      </div>
      <TextInput name="from" type="date" label="From" description="A day in UTC; empty = for all calls" />
    </FormDialog>
  );
}

export function SetPriceButton(): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setOpen(true)}>
        Set a price
      </Button>
      {open && <PriceDialog onClose={() => setOpen(false)} />}
    </>
  );
}
