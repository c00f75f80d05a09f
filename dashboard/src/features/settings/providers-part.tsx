import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { WrappedKeyShape } from '../../../../src/contract/keys.ts';
import type { ProviderShape } from '../../../../src/contract/providers.ts';
import { countNoun } from '../../../../src/domain/text/counts.ts';
import { useRead } from '../../shared/api/use-api.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { useProviders } from '../../shared/names/queries.ts';
import { AddProviderDialog } from '../../shared/providers/add-provider.tsx';
import { TestCallDialog } from '../../shared/providers/test-call.tsx';
import { KIND_TEXTS } from '../../shared/providers/provider-kinds.ts';
import { useRemoveProvider } from '../../shared/providers/queries.ts';
import { useMay, useOwnsInstallation } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { DataTable, RowButton, type TableColumn } from '../../shared/ui/data-table.tsx';
import { ConfirmDialog } from '../../shared/ui/dialog.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { TablePlaceholder } from '../../shared/ui/placeholders.tsx';

/** A provider that was added, with the active keys of this workspace that use it. */
interface ProviderRow {
  readonly provider: ProviderShape;
  readonly keys: readonly WrappedKeyShape[];
}

/** Providers that were added to the built-in ones. They are those of the whole installation. */
export function ProvidersPart(): ReactNode {
  const mayChange = useOwnsInstallation();
  return (
    <Card title="Added providers" aside={mayChange && <AddProviderButton />}>
      <p className="soft">
        OpenAI-compatible servers, also on your network, and places at clouds. All workspaces can use them.
        {!mayChange && ' An owner of the installation can add and delete them.'}
      </p>
      <Loaded of={useProviders()} placeholder={<TablePlaceholder rows={2} />}>
        {(providers) => <AddedProviders providers={providers.filter(({ custom }) => custom)} mayChange={mayChange} />}
      </Loaded>
    </Card>
  );
}

function AddProviderButton(): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Add provider</Button>
      {open && <AddProviderDialog onClose={() => setOpen(false)} />}
    </>
  );
}

interface AddedProvidersProps {
  readonly providers: readonly ProviderShape[];
  readonly mayChange: boolean;
}

function AddedProviders({ providers, mayChange }: AddedProvidersProps): ReactNode {
  const { data: keys = [] } = useRead('GET /api/manage/keys');
  const mayWork = useMay('work');
  if (providers.length === 0)
    return (
      <EmptyState icon="keys" title="No added providers yet">
        The providers under “Create key” are built in. Add your own server, or a place at a cloud.
      </EmptyState>
    );
  const rows = providers.map((provider) => ({
    provider,
    keys: keys.filter((key) => key.provider === provider.id && key.revokedAt === null),
  }));
  const columns = [...providerColumns, ...(mayWork ? [testColumn] : []), ...(mayChange ? [removeColumn] : [])];
  return <DataTable name="Added providers" columns={columns} rows={rows} rowKey={({ provider }) => provider.id} />;
}

const providerColumns: readonly TableColumn<ProviderRow>[] = [
  {
    id: 'name',
    name: 'Name',
    sortBy: ({ provider }) => provider.name,
    cell: (row) => (
      <>
        {row.provider.name} <span className="soft">{row.provider.id}</span>
        <span className="soft beneath narrow">
          {kindName(row)} · {row.provider.url}
        </span>
      </>
    ),
  },
  { id: 'kind', name: 'API', wideOnly: true, sortBy: kindName, cell: kindName },
  {
    id: 'url',
    name: 'Address',
    wideOnly: true,
    sortBy: ({ provider }) => provider.url,
    cell: ({ provider }) => provider.url,
  },
  { id: 'keys', name: 'Keys', sortBy: ({ keys }) => keys.length, cell: shownKeys },
];

function kindName({ provider: { kind } }: ProviderRow): string {
  return kind === null ? '' : KIND_TEXTS[kind].name;
}

const KEYS_NAMED = 3;

function shownKeys({ keys }: ProviderRow): string {
  if (keys.length === 0) return 'None';
  const named = keys.slice(0, KEYS_NAMED).map(({ name }) => isolated(name));
  const rest = keys.length - named.length;
  return `${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

const testColumn: TableColumn<ProviderRow> = {
  id: 'test',
  name: '',
  cell: ({ provider }) => <TestProvider provider={provider} />,
};

function TestProvider({ provider }: Pick<ProviderRow, 'provider'>): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <RowButton actionLabel="Test" of={provider.name} onClick={() => setOpen(true)} />
      {open && <TestCallDialog provider={provider} onClose={() => setOpen(false)} />}
    </>
  );
}

const removeColumn: TableColumn<ProviderRow> = { id: 'remove', name: '', cell: (row) => <RemoveProvider row={row} /> };

function RemoveProvider({ row }: { readonly row: ProviderRow }): ReactNode {
  const [open, setOpen] = useState(false);
  const { provider, keys } = row;
  const remove = useRemoveProvider(provider);
  const close = (): void => setOpen(false);
  return (
    <>
      <RowButton actionLabel="Delete" of={provider.name} onClick={() => setOpen(true)} />
      {open && (
        <ConfirmDialog
          title={`Delete ${isolated(provider.name)}?`}
          actionLabel="Delete provider"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(undefined, { onSuccess: close })}
          onClose={close}
        >
          {keys.length > 0 &&
            `${countNoun(keys.length, 'key')} of this workspace would stop working: ${shownKeys(row)}. `}
          Keys of all workspaces that use it stop working. Recorded calls are kept.
        </ConfirmDialog>
      )}
    </>
  );
}
