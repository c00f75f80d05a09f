import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { BillLineShape, NewBillLineShape } from '../../../../src/contract/bill-lines.ts';
import { formatDate } from '../../../../src/domain/text/dates.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { useProviders } from '../../shared/names/queries.ts';
import { useMay } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { DataTable, RowButton, type TableColumn } from '../../shared/ui/data-table.tsx';
import { DateField } from '../../shared/ui/date-field.tsx';
import { ConfirmDialog, FormDialog } from '../../shared/ui/dialog.tsx';
import type { FormFields } from '../../shared/ui/fields.ts';
import { SelectField, TextField } from '../../shared/ui/form-inputs.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { TablePlaceholder } from '../../shared/ui/placeholders.tsx';
import { Cents } from '../../shared/ui/values.tsx';
import { useAddBillLine, useBillLines, useRemoveBillLine } from './queries.ts';

export const BILL_LINE_NAMES: Readonly<Record<BillLineShape['kind'], string>> = {
  credit: 'Credit',
  commitment: 'Commitment',
};

/** Credits and minimum commitments, with what is used and left. */
export function BillLinesCard(): ReactNode {
  const mayChange = useMay('manage');
  return (
    <Card title="Credits and commitments" aside={mayChange && <AddBillLineButton />}>
      <Loaded of={useBillLines()} placeholder={<TablePlaceholder rows={1} />}>
        {(lines) =>
          lines.length === 0 ? (
            <p className="soft">
              None. Add a provider’s credits, or the minimum that you committed to spend, to see what is left of them
              and what you pay.
            </p>
          ) : (
            <DataTable
              name="Credits and commitments"
              columns={mayChange ? [...billLineColumns, removeColumn] : billLineColumns}
              rows={lines}
              rowKey={({ id }) => id}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

const billLineColumns: readonly TableColumn<BillLineShape>[] = [
  {
    id: 'name',
    name: 'Name',
    cell: ({ kind, name, provider }) => (
      <>
        {isolated(name)}
        <span className="soft beneath">
          {BILL_LINE_NAMES[kind]}, {provider}
        </span>
      </>
    ),
  },
  { id: 'amount', name: 'Amount', figures: true, wideOnly: true, cell: ({ amount }) => <Cents usd={amount} /> },
  { id: 'used', name: 'Used', figures: true, wideOnly: true, cell: ({ used }) => <Cents usd={used} /> },
  { id: 'left', name: 'Left', figures: true, cell: ({ left }) => <Cents usd={left} /> },
  { id: 'from', name: 'From', wideOnly: true, sortBy: ({ from }) => from, cell: ({ from }) => formatDate(from, 'UTC') },
  {
    id: 'until',
    name: 'Until',
    wideOnly: true,
    sortBy: ({ until }) => until,
    cell: ({ until }) => (until === null ? 'No end' : formatDate(until, 'UTC')),
  },
];

const removeColumn: TableColumn<BillLineShape> = {
  id: 'remove',
  name: '',
  cell: (line) => <RemoveBillLineButton line={line} />,
};

function RemoveBillLineButton({ line }: { readonly line: BillLineShape }): ReactNode {
  const [open, setOpen] = useState(false);
  const { mutate, isPending, error } = useRemoveBillLine(line);
  const close = (): void => setOpen(false);
  return (
    <>
      <RowButton actionLabel="Delete" of={line.name} onClick={() => setOpen(true)} />
      {open && (
        <ConfirmDialog
          title={`Delete ${isolated(line.name)}?`}
          actionLabel={`Delete ${line.kind}`}
          busy={isPending}
          error={error}
          onConfirm={() => mutate(undefined, { onSuccess: close })}
          onClose={close}
        >
          Reconciliation no longer counts it, for past days either.
        </ConfirmDialog>
      )}
    </>
  );
}

function readBillLineFields(fields: FormFields): NewBillLineShape {
  const kind = fields('kind') === 'commitment' ? 'commitment' : 'credit';
  const { from, until } = { from: fields('from'), until: fields('until') };
  return {
    provider: fields('provider'),
    kind,
    name: fields('name'),
    amount: fields('amount'),
    ...(from !== '' && { from }),
    ...(until !== '' && { until }),
  };
}

function BillLineDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { data: providers = [] } = useProviders();
  const add = useAddBillLine();
  const kinds = Object.entries(BILL_LINE_NAMES).map(([value, label]) => ({ value, label }));
  return (
    <FormDialog
      title="Add credit or commitment"
      actionLabel="Add"
      busy={add.isPending}
      error={add.error}
      onClose={onClose}
      onSubmit={(fields) => add.mutate(readBillLineFields(fields), { onSuccess: onClose })}
    >
      <SelectField
        name="kind"
        label="Kind"
        description="A credit pays for costs. A commitment is a minimum for its period."
        data={kinds}
      />
      <SelectField
        name="provider"
        label="Provider"
        data={providers.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <TextField name="name" label="Name" description="For example Startup credits" required />
      <TextField name="amount" label="Amount in US dollars" inputMode="decimal" required />
      <DateField name="from" label="First day (UTC)" description="Leave empty for today." />
      <DateField name="until" label="First day without it (UTC)" description="A commitment needs one." />
    </FormDialog>
  );
}

function AddBillLineButton(): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button size="xs" variant="default" leftSection={<Icon name="plus" size={16} />} onClick={() => setOpen(true)}>
        Add
      </Button>
      {open && <BillLineDialog onClose={() => setOpen(false)} />}
    </>
  );
}
