import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { UserPriceShape } from '../../../../src/contract/prices.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { itemName } from '../../shared/names/display-names.ts';
import { useProviders } from '../../shared/names/queries.ts';
import { useMay } from '../../shared/session/session.ts';
import { DataTable, RowButton, type TableColumn } from '../../shared/ui/data-table.tsx';
import { ConfirmDialog, FormDialog } from '../../shared/ui/dialog.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { rateColumns } from './price-columns.tsx';
import { useCustomPrices, usePreviewPrice, useRemovePrice, useSetPrice } from './queries.ts';
import { useConfirmedReprice } from './confirmed-reprice.ts';
import { PRICED_CLASSES, readPrice } from './read-price.ts';
import { describeRepriced } from '../../../../src/domain/text/contracts.ts';
import { Note } from '../../shared/ui/note.tsx';
import { formatDate } from '../../../../src/domain/text/dates.ts';
import { DateField } from '../../shared/ui/date-field.tsx';
import { SelectField, TextField } from '../../shared/ui/form-inputs.tsx';
import { TablePlaceholder } from '../../shared/ui/placeholders.tsx';

/** Custom prices of the workspace. They override every price list. */
export function CustomPrices(): ReactNode {
  const mayChange = useMay('manage');
  return (
    <Loaded of={useCustomPrices()} placeholder={<TablePlaceholder rows={1} />}>
      {(prices) =>
        prices.length === 0 ? (
          <p className="soft">No custom prices. Set one for models without a listed price, such as self-hosted ones.</p>
        ) : (
          <DataTable
            name="Custom prices"
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
        <span className="soft beneath narrow">{price.from === null ? 'Always' : `From ${fromText(price)}`}</span>
      </>
    ),
  },
  ...rateColumns.filter(({ id }) => id !== 'model'),
  { id: 'from', name: 'From', wideOnly: true, sortBy: ({ from }) => from, cell: fromText },
];

function fromText({ from }: UserPriceShape): string {
  return from === null ? 'Always' : formatDate(from, 'UTC');
}

const removePriceColumn: TableColumn<UserPriceShape> = {
  id: 'remove',
  name: '',
  cell: (price) => <RemovePriceButton price={price} />,
};

function RemovePriceButton({ price }: { readonly price: UserPriceShape }): ReactNode {
  const [open, setOpen] = useState(false);
  const { mutate, isPending, error } = useRemovePrice(price);
  const close = (): void => setOpen(false);
  return (
    <>
      <RowButton actionLabel="Delete" of={price.model} onClick={() => setOpen(true)} />
      {open && (
        <ConfirmDialog
          title={`Delete the price of ${isolated(price.model)}?`}
          actionLabel="Delete price"
          busy={isPending}
          error={error}
          onConfirm={() => mutate(undefined, { onSuccess: close })}
          onClose={close}
        >
          New calls use the price lists again. Recorded calls keep their price.
        </ConfirmDialog>
      )}
    </>
  );
}

/** Sets the custom price of a model. A class that is left empty has no price. */
function PriceDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { data: providers = [] } = useProviders();
  // Other providers use the prices of one of these.
  const ownPriced = providers.filter(({ id, priceProvider }) => id === priceProvider);
  const set = useSetPrice();
  const preview = usePreviewPrice();
  const { shown, submit } = useConfirmedReprice({ preview, set: (price) => set.mutate(price, { onSuccess: onClose }) });
  return (
    <FormDialog
      title="Set price"
      actionLabel={shown ? 'Set price and price again' : 'Set price'}
      busy={set.isPending || preview.isPending}
      error={set.error ?? preview.error}
      onClose={onClose}
      onSubmit={(fields) => submit(readPrice(fields))}
    >
      <SelectField
        name="provider"
        label="Provider"
        data={ownPriced.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <TextField name="model" label="Model" description="The model name that calls use" required />
      <p className="soft">US dollars per million tokens. Empty fields have no price.</p>
      <div className="cards">
        {PRICED_CLASSES.map((item) => (
          <TextField
            key={item}
            name={item}
            label={itemName(item)}
            inputMode="decimal"
            required={item === 'input' || item === 'output'}
          />
        ))}
      </div>
      <DateField name="from" label="Valid from (UTC)" description="Leave empty to apply it to all calls." />
      {shown && <Note kind="warn">{describeRepriced('price', shown)}</Note>}
    </FormDialog>
  );
}

export function SetPriceButton(): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setOpen(true)}>
        {' '}
        Set price{' '}
      </Button>
      {open && <PriceDialog onClose={() => setOpen(false)} />}
    </>
  );
}
