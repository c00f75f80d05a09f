import { type ReactNode, useState } from 'react';
import type { ProviderShape } from '../../../../src/contract/providers.ts';
import { useProviders } from '../names/queries.ts';
import { FormDialog } from '../ui/dialog.tsx';
import { SelectField, TextField } from '../ui/form-inputs.tsx';
import { More } from '../ui/more.tsx';
import { KIND_TEXTS, PROVIDER_KINDS, type ProviderKind } from './provider-kinds.ts';
import { useAddProvider } from './queries.ts';
import { readProvider } from './read-provider.ts';

interface AddProviderDialogProps {
  readonly onAdded?: (provider: ProviderShape) => void;
  readonly onClose: () => void;
}

/** Adds a provider, for owners of the installation. A form can't be around it. */
export function AddProviderDialog({ onAdded, onClose }: AddProviderDialogProps): ReactNode {
  const [kind, setKind] = useState<ProviderKind>('openai-compatible');
  const [problem, setProblem] = useState<unknown>(null);
  const add = useAddProvider();
  return (
    <FormDialog
      title="Add provider"
      actionLabel="Add provider"
      busy={add.isPending}
      error={problem ?? add.error}
      onClose={onClose}
      onSubmit={(fields) => {
        try {
          const provider = readProvider(fields, kind);
          setProblem(null);
          add.mutate(provider, {
            onSuccess: (added) => {
              onAdded?.(added);
              onClose();
            },
          });
        } catch (error) {
          setProblem(error);
        }
      }}
    >
      <SelectField
        name="kind"
        label="API"
        value={kind}
        data={PROVIDER_KINDS.map((value) => ({ value, label: KIND_TEXTS[value].name }))}
        onChange={({ currentTarget }) => setKind(currentTarget.value as ProviderKind)}
      />
      <PlaceFields kind={kind} />
      <TextField name="name" label="Name" required />
      <TextField
        name="id"
        label="ID"
        description="Part of the address for clients: /api/proxy/ID. It can’t change later."
        placeholder="lab"
        required
      />
      <More title="Prices and deployments">
        <PriceFields />
      </More>
    </FormDialog>
  );
}

/** The address, or the region and project from which it follows. */
function PlaceFields({ kind }: { readonly kind: ProviderKind }): ReactNode {
  const { place } = KIND_TEXTS[kind];
  if (place === undefined)
    return (
      <TextField
        name="url"
        inputMode="url"
        label="Address"
        description="As clients of the provider write it, usually with /v1. It may be on your network."
        placeholder="https://models.example.com/v1"
        required
      />
    );
  return (
    <>
      {place === 'region and project' && <TextField name="project" label="Project" required />}
      <TextField name="region" label="Region" placeholder={kind === 'vertex' ? 'us-east5' : 'us-east-1'} required />
    </>
  );
}

function PriceFields(): ReactNode {
  const { data: providers = [] } = useProviders();
  const listed = providers.filter(({ id, priceProvider, custom }) => id === priceProvider && !custom);
  return (
    <>
      <SelectField
        name="priceProvider"
        label="List prices"
        description="Models without a price have an unknown cost. You can set custom prices under Prices."
        data={[
          { value: '', label: 'None, or those of the cloud' },
          ...listed.map(({ id, name }) => ({ value: id, label: `As ${name}` })),
        ]}
      />
      <TextField
        name="deployments"
        label="Deployments"
        description="Names under which it serves models, for example prod-chat=gpt-5.1, small=gpt-5-mini"
      />
    </>
  );
}
