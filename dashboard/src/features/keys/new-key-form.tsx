import { Button, Checkbox, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { ProviderShape, WrappedKeyShape } from '../../../../src/contract/usage.ts';
import { ApiError } from '../../shared/api/api-error.ts';
import { ButtonLink } from '../../shared/theme/button-link.tsx';
import { ChoiceCards } from '../../shared/ui/choice-cards.tsx';
import { useFields } from '../../shared/ui/fields.ts';
import { ErrorNote } from '../../shared/ui/trouble.tsx';
import { useWorkspace } from '../../shared/session/session.ts';
import { readNewKey, readNewRules } from './read-new-key.ts';
import { NewKeyExtras } from './new-key-extras.tsx';
import { ProviderKeyFields } from './provider-key-fields.tsx';
import { type NewKeyResult, useCreateKey } from './use-create-key.ts';
import { useKeys } from './use-keys.ts';

interface NewKeyFormProps {
  readonly providers: readonly ProviderShape[];
  readonly onMade: (made: NewKeyResult) => void;
}

export function NewKeyForm({ providers, onMade }: NewKeyFormProps): ReactNode {
  const [provider, setProvider] = useState(providers[0]?.id ?? '');
  const { timeZone } = useWorkspace();
  const create = useCreateKey();
  const submit = useFields((fields) =>
    create.mutate({ key: readNewKey(fields, provider, timeZone), rules: readNewRules(fields) }, { onSuccess: onMade }),
  );
  const name = providers.find(({ id }) => id === provider)?.name ?? provider;
  return (
    <form className="stack form" onSubmit={submit}>
      <ChoiceCards
        legend="Provider"
        choices={providers.map((each) => ({ value: each.id, name: each.name }))}
        value={provider}
        onChange={setProvider}
      />
      <ProviderKeyFields providerName={name} shareable={useShareable(provider)} />
      <TextInput name="name" label="Name" description="Who or what will use it" required />
      <NewKeyExtras />
      {create.error && <ErrorNote error={create.error} />}
      {wasRefused(create.error) && (
        <Checkbox name="force" value="yes" label={`Keep this key although ${name} refuses it`} />
      )}
      <div className="row">
        <Button type="submit" loading={create.isPending}>
          Create API key
        </Button>
        <ButtonLink to="/keys" variant="default">
          Cancel
        </ButtonLink>
      </div>
    </form>
  );
}

/** Wrapped keys whose provider key a new one may share. */
function useShareable(provider: string): readonly WrappedKeyShape[] {
  const { data } = useKeys();
  return data?.filter((key) => key.provider === provider && key.revokedAt === null) ?? [];
}

/** The provider was asked, and does not know this key. */
function wasRefused(error: Error | null): boolean {
  return error instanceof ApiError && error.type === 'key_refused';
}
