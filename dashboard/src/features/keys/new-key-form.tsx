import { Button, Checkbox, NativeSelect, PasswordInput, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { ProviderShape, WrappedKeyShape } from '../../../../src/contract/usage.ts';
import { ApiError } from '../../shared/api/api-error.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { useMay, useWorkspace } from '../../shared/session/session.ts';
import { ChoiceCards } from '../../shared/ui/choice-cards.tsx';
import { useFields } from '../../shared/ui/fields.ts';
import { ButtonLink } from '../../shared/ui/links.tsx';
import { More } from '../../shared/ui/more.tsx';
import { ErrorNote } from '../../shared/ui/note.tsx';
import { providerKeyText } from './key-table.tsx';
import { type NewKeyResult, useCreateKey, useKeys } from './queries.ts';
import { readNewKey, readNewRules } from './read-new-key.ts';

interface ProviderKeyFieldsProps {
  readonly providerName: string;
  /** Wrapped keys whose provider key can be used again. */
  readonly shareable: readonly WrappedKeyShape[];
}

const WAYS = [
  { value: 'paste', name: 'Paste a key' },
  { value: 'share', name: 'Use one that is here' },
] as const;

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

/** Where the provider key comes from: pasted, or shared with another wrapped key. */
function ProviderKeyFields({ providerName, shareable }: ProviderKeyFieldsProps): ReactNode {
  const [way, setWay] = useState<'paste' | 'share'>('paste');
  const shares = way === 'share' && shareable.length > 0;
  return (
    <>
      {shareable.length > 0 && (
        <ChoiceCards legend={`Key of ${providerName}`} choices={WAYS} value={way} onChange={setWay} />
      )}
      {shares ? (
        <NativeSelect
          name="providerKeyOf"
          label="Share the provider key of"
          description="Replacing it later replaces it for both."
          data={shareable.map((key) => ({ value: key.id, label: `${isolated(key.name)} (${providerKeyText(key)})` }))}
        />
      ) : (
        <PasswordInput
          name="providerKey"
          label={`Your ${providerName} API key`}
          description={`${providerName} is asked whether it works, by a request that costs nothing. It is stored encrypted and never shown again.`}
          autoComplete="off"
          spellCheck={false}
          visibilityToggleButtonProps={{ 'aria-label': 'Show what was pasted' }}
          required
        />
      )}
    </>
  );
}

/** What a key may have besides: all of it can be set later too. */
function NewKeyExtras(): ReactNode {
  const { timeZone } = useWorkspace();
  const maySetRules = useMay('manage');
  return (
    <More title={maySetRules ? 'Tags, expiry and rules (optional)' : 'Tags and expiry (optional)'}>
      <TextInput
        name="tags"
        label="Tags"
        description="On every call of this key, and no client can change them"
        placeholder="team=search, env=production"
      />
      <TextInput
        name="lastDay"
        type="date"
        label="Last day it works"
        description={`Days of ${timeZone}; empty = it works until it is revoked`}
      />
      {maySetRules && <RuleFields />}
    </More>
  );
}

function RuleFields(): ReactNode {
  return (
    <>
      <TextInput
        name="allowedModels"
        label="Only these models"
        description="* stands for any characters; empty = all models of the provider"
        placeholder="claude-haiku-*, claude-sonnet-4-5"
      />
      <TextInput
        name="maxOutputTokens"
        inputMode="numeric"
        pattern="[0-9]*"
        label="Largest output of a call"
        description="In tokens; empty = what the model allows. More rules are on the page of the key."
      />
    </>
  );
}

/** Wrapped keys whose provider key a new one may share. */
function useShareable(provider: string): readonly WrappedKeyShape[] {
  const { data } = useKeys();
  return data?.filter((key) => key.provider === provider && key.revokedAt === null) ?? [];
}

/** The provider was asked, and does not know this key. */
function wasRefused(error: Error | null): boolean {
  return error instanceof ApiError && error.type === 'provider_key_refused';
}
