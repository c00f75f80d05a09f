import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { ContractShape, NewContractShape } from '../../../../src/contract/prices.ts';
import { describeContract, describeContractScope, describeRepriced } from '../../../../src/domain/text/contracts.ts';
import { formatDate } from '../../../../src/domain/text/dates.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { useKeyNames, useProviders } from '../../shared/names/queries.ts';
import { useMay } from '../../shared/session/session.ts';
import { DataTable, RowButton, type TableColumn } from '../../shared/ui/data-table.tsx';
import { DateField } from '../../shared/ui/date-field.tsx';
import { ConfirmDialog, FormDialog } from '../../shared/ui/dialog.tsx';
import type { FormFields } from '../../shared/ui/fields.ts';
import { SelectField, TextField } from '../../shared/ui/form-inputs.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Note } from '../../shared/ui/note.tsx';
import { TablePlaceholder } from '../../shared/ui/placeholders.tsx';
import { useConfirmedReprice } from './confirmed-reprice.ts';
import { useContracts, usePreviewContract, useRemoveContract, useSetContract } from './queries.ts';

/** Discounts and fixed prices by contract. */
export function ContractPrices(): ReactNode {
  const mayChange = useMay('manage');
  return (
    <Loaded of={useContracts()} placeholder={<TablePlaceholder rows={1} />}>
      {(contracts) =>
        contracts.length === 0 ? (
          <p className="soft">No contracts. Add one for a discount: its calls then cost less than the list price.</p>
        ) : (
          <DataTable
            name="Contract prices"
            columns={mayChange ? [...contractColumns, removeContractColumn] : contractColumns}
            rows={contracts}
            rowKey={({ id }) => id}
          />
        )
      }
    </Loaded>
  );
}

const contractColumns: readonly TableColumn<ContractShape>[] = [
  { id: 'calls', name: 'Calls', cell: (contract) => <ContractScope contract={contract} /> },
  { id: 'price', name: 'Price', cell: describeContract },
  { id: 'from', name: 'From', wideOnly: true, sortBy: ({ from }) => from, cell: contractStart },
  {
    id: 'until',
    name: 'Until',
    wideOnly: true,
    sortBy: ({ until }) => until,
    cell: ({ until }) => (until === null ? 'No end' : formatDate(until, 'UTC')),
  },
];

function ContractScope({ contract }: { readonly contract: ContractShape }): ReactNode {
  const names = useKeyNames();
  return (
    <>
      {describeContractScope(contract, (id) => names.get(id) ?? id)}
      <span className="soft beneath narrow">{contractStart(contract)}</span>
    </>
  );
}

function contractStart({ from }: ContractShape): string {
  return from === null ? 'Always' : `From ${formatDate(from, 'UTC')}`;
}

const removeContractColumn: TableColumn<ContractShape> = {
  id: 'remove',
  name: '',
  cell: (contract) => <RemoveContractButton contract={contract} />,
};

function RemoveContractButton({ contract }: { readonly contract: ContractShape }): ReactNode {
  const [open, setOpen] = useState(false);
  const { mutate, isPending, error } = useRemoveContract(contract);
  const close = (): void => setOpen(false);
  const scope = describeContractScope(contract);
  return (
    <>
      <RowButton actionLabel="Delete" of={scope} onClick={() => setOpen(true)} />
      {open && (
        <ConfirmDialog
          title={`Delete the contract for ${isolated(scope)}?`}
          actionLabel="Delete contract"
          busy={isPending}
          error={error}
          onConfirm={() => mutate(undefined, { onSuccess: close })}
          onClose={close}
        >
          Its calls are priced again, as if it had never been. To end a contract, add it again with a last day.
        </ConfirmDialog>
      )}
    </>
  );
}

const ANY = '';

function readContractFields(fields: FormFields): NewContractShape {
  const given = ['provider', 'model', 'multiplier', 'from', 'until'].map((name) => [name, fields(name)] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ANY));
}

function ContractDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { data: providers = [] } = useProviders();
  const set = useSetContract();
  const preview = usePreviewContract();
  const { shown, submit } = useConfirmedReprice({
    preview,
    set: (contract) => set.mutate(contract, { onSuccess: onClose }),
  });
  const choices = providers.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <FormDialog
      title="Add contract"
      actionLabel={shown ? 'Add contract and price again' : 'Add contract'}
      busy={set.isPending || preview.isPending}
      error={set.error ?? preview.error}
      onClose={onClose}
      onSubmit={(fields) => submit(readContractFields(fields))}
    >
      <SelectField name="provider" label="Provider" data={[{ value: ANY, label: 'All providers' }, ...choices]} />
      <TextField name="model" label="Models" description="For example claude-*; leave empty for all models" />
      <TextField
        name="multiplier"
        label="Multiple of the list price"
        description="0.76 is a discount of 24%"
        inputMode="decimal"
        required
      />
      <DateField name="from" label="First day (UTC)" description="Leave empty to apply it to all calls." />
      <DateField name="until" label="First day without it (UTC)" />
      {shown && <Note kind="warn">{describeRepriced('contract', shown)}</Note>}
    </FormDialog>
  );
}

export function AddContractButton(): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" leftSection={<Icon name="plus" size={16} />} onClick={() => setOpen(true)}>
        Add contract
      </Button>
      {open && <ContractDialog onClose={() => setOpen(false)} />}
    </>
  );
}
