import { NativeSelect, PasswordInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { WrappedKeyShape } from '../../../../src/contract/usage.ts';
import { ChoiceCards } from '../../shared/ui/choice-cards.tsx';
import { providerKeyText } from './key-table.tsx';
import { isolated } from '../../shared/format/isolated.ts';

interface ProviderKeyFieldsProps {
  readonly providerName: string;
  /** Wrapped keys whose provider key can be used again. */
  readonly shareable: readonly WrappedKeyShape[];
}

const WAYS = [
  { value: 'paste', name: 'Paste a key' },
  { value: 'share', name: 'Use one that is here' },
] as const;

/** Where the provider key comes from: pasted, or shared with another wrapped key. */
export function ProviderKeyFields({ providerName, shareable }: ProviderKeyFieldsProps): ReactNode {
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
