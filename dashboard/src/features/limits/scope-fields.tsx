import { NativeSelect, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useProviders } from '../../shared/names/use-providers.ts';
import { ChoiceCards } from '../../shared/ui/choice-cards.tsx';
import type { DraftProps } from './limit-draft.ts';
import { useLiveKeys } from './use-live-keys.ts';

const SCOPE_CHOICES = [
  { value: 'workspace', name: 'All calls' },
  { value: 'key', name: 'A key' },
  { value: 'provider', name: 'A provider' },
  { value: 'model', name: 'Models' },
  { value: 'tag', name: 'A tag' },
  { value: 'each_tag', name: 'Each value of a tag' },
] as const;

/** Which calls a limit counts. */
export function ScopeFields({ draft, onChange }: DraftProps): ReactNode {
  return (
    <>
      <ChoiceCards
        legend="What it counts"
        choices={SCOPE_CHOICES}
        value={draft.kind}
        onChange={(kind) => onChange({ kind })}
      />
      {draft.kind === 'key' && <KeyField draft={draft} onChange={onChange} />}
      {draft.kind === 'provider' && <ProviderField draft={draft} onChange={onChange} />}
      {draft.kind === 'model' && (
        <TextInput
          label="Models"
          description="A name, or a pattern where * stands for any characters"
          placeholder="claude-opus-*"
          required
          value={draft.pattern}
          onChange={({ currentTarget }) => onChange({ pattern: currentTarget.value })}
        />
      )}
      {(draft.kind === 'tag' || draft.kind === 'each_tag') && <TagFields draft={draft} onChange={onChange} />}
    </>
  );
}

function KeyField({ draft, onChange }: DraftProps): ReactNode {
  const keys = useLiveKeys();
  return (
    <NativeSelect
      label="Key"
      required
      value={draft.keyId}
      onChange={({ currentTarget }) => onChange({ keyId: currentTarget.value })}
      data={[{ value: '', label: 'Choose a key' }, ...keys.map(({ id, name }) => ({ value: id, label: name }))]}
    />
  );
}

function ProviderField({ draft, onChange }: DraftProps): ReactNode {
  const { data: providers = [] } = useProviders();
  return (
    <NativeSelect
      label="Provider"
      required
      value={draft.provider}
      onChange={({ currentTarget }) => onChange({ provider: currentTarget.value })}
      data={[
        { value: '', label: 'Choose a provider' },
        ...providers.map(({ id, name }) => ({ value: id, label: name })),
      ]}
    />
  );
}

function TagFields({ draft, onChange }: DraftProps): ReactNode {
  return (
    <div className="row">
      <TextInput
        label="Tag"
        placeholder={draft.kind === 'tag' ? 'team' : 'user'}
        required
        value={draft.tagKey}
        onChange={({ currentTarget }) => onChange({ tagKey: currentTarget.value })}
      />
      {draft.kind === 'tag' && (
        <TextInput
          label="Value"
          placeholder="search"
          required
          value={draft.tagValue}
          onChange={({ currentTarget }) => onChange({ tagValue: currentTarget.value })}
        />
      )}
    </div>
  );
}
