import { Button, NativeSelect, TextInput } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { itemName } from '../../shared/names/item-names.ts';
import { useProviders } from '../../shared/names/use-providers.ts';
import { Trouble } from '../../shared/parts/trouble.tsx';
import { PRICED_CLASSES, readPrice } from './read-price.ts';
import { useSetPrice } from './use-prices.ts';

/** A price says all there is: a class that is left empty has no price. */
export function PriceForm({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { data: providers = [] } = useProviders();
  // The others go by the prices of one of these.
  const ownPriced = providers.filter(({ id, priceProvider }) => id === priceProvider);
  const set = useSetPrice();
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    set.mutate(readPrice(new FormData(event.currentTarget)), { onSuccess: onClose });
  };
  return (
    <form className="stack" onSubmit={submit}>
      <NativeSelect
        name="provider"
        label="Provider"
        data={ownPriced.map(({ id, name }) => ({ value: id, label: name }))}
        autoFocus
      />
      <TextInput name="model" label="Model" description="Its name as calls name it" required maxLength={256} />
      <fieldset className="cards">
        <legend>US dollars per million tokens</legend>
        {PRICED_CLASSES.map((item) => (
          <TextInput
            key={item}
            name={item}
            label={itemName(item)}
            inputMode="decimal"
            required={item === 'input' || item === 'output'}
          />
        ))}
      </fieldset>
      <TextInput name="from" type="date" label="From" description="A day in UTC; empty = for all calls" />
      {set.error && <Trouble error={set.error} />}
      <div className="row">
        <Button type="submit" loading={set.isPending}>
          Set
        </Button>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
