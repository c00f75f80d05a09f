import { NativeSelect, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { itemName } from '../../shared/names/item-names.ts';
import { useProviders } from '../../shared/names/use-providers.ts';
import { FormDialog } from '../../shared/ui/form-dialog.tsx';
import { PRICED_CLASSES, readPrice } from './read-price.ts';
import { useSetPrice } from './use-prices.ts';

/** A price says all there is: a class that is left empty has no price. */
export function PriceDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
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
