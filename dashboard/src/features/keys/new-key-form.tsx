import { Button, Checkbox } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { ProviderShape } from '../../../../src/contract/providers.ts';
import type { WrappedKeyShape } from '../../../../src/contract/keys.ts';
import { ApiError } from '../../shared/api/api-error.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { useMay, useOwnsInstallation, useWorkspace } from '../../shared/session/session.ts';
import { AddProviderDialog } from '../../shared/providers/add-provider.tsx';
import { ChoiceCards } from '../../shared/ui/choice-cards.tsx';
import type { FormFields } from '../../shared/ui/fields.ts';
import { Form, FormError } from '../../shared/ui/form.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { ButtonLink } from '../../shared/ui/links.tsx';
import { More } from '../../shared/ui/more.tsx';
import { BudgetFields } from './budgets-card.tsx';
import { ContextRuleFields } from './context-rule-fields.tsx';
import { providerKeyText } from './key-table.tsx';
import { type NewKeyResult, useCreateKey, useKeys } from './queries.ts';
import { readNewKey, readNewRules } from './read-new-key.ts';
import { DateField } from '../../shared/ui/date-field.tsx';
import { PasswordField, SelectField, TextField } from '../../shared/ui/form-inputs.tsx';

interface CredentialFieldsProps {
  readonly providerName: string;
  readonly hasSubscriptions: boolean;
  readonly needsKey: boolean;
  /** Wrapped keys whose provider key can be shared. */
  readonly shareable: readonly WrappedKeyShape[];
}

type CredentialWay = 'paste' | 'share' | 'subscription';

const WAYS: readonly { readonly value: CredentialWay; readonly name: string }[] = [
  { value: 'paste', name: 'Paste a new key' },
  { value: 'share', name: 'Use a stored key' },
  { value: 'subscription', name: 'Subscription login' },
];

interface NewKeyFormProps {
  readonly providers: readonly ProviderShape[];
  readonly onMade: (made: NewKeyResult) => void;
}

export function NewKeyForm({ providers, onMade }: NewKeyFormProps): ReactNode {
  const [provider, setProvider] = useState(providers[0]?.id ?? '');
  const [adding, setAdding] = useState(false);
  return (
    <>
      <KeyForm {...{ providers, onMade, provider, setProvider }} onAdd={() => setAdding(true)} />
      {adding && <AddProviderDialog onAdded={({ id }) => setProvider(id)} onClose={() => setAdding(false)} />}
    </>
  );
}

interface KeyFormProps extends NewKeyFormProps {
  /** Id of the chosen provider. */
  readonly provider: string;
  readonly setProvider: (id: string) => void;
  readonly onAdd: () => void;
}

function KeyForm({ providers, onMade, provider, setProvider, onAdd }: KeyFormProps): ReactNode {
  const { timeZone } = useWorkspace();
  const create = useCreateKey();
  const submit = (fields: FormFields): void =>
    create.mutate({ key: readNewKey(fields, provider, timeZone), rules: readNewRules(fields) }, { onSuccess: onMade });
  const chosen = providers.find(({ id }) => id === provider);
  const name = chosen?.name ?? provider;
  return (
    <Form className="stack form" error={create.error} onSubmit={submit}>
      <ChoiceCards
        legend="Provider"
        choices={providers.map((each) => ({ value: each.id, name: each.name }))}
        value={provider}
        onChange={setProvider}
      />
      <OtherProvider onAdd={onAdd} />
      <CredentialFields
        key={provider}
        providerName={name}
        hasSubscriptions={chosen?.hasSubscriptions ?? false}
        needsKey={chosen?.needsKey ?? true}
        shareable={useShareable(provider)}
      />
      <TextField name="name" label="Name" description="The program or person that will use the key" required />
      <NewKeyExtras />
      <FormError />
      {wasRefused(create.error) && (
        <Checkbox name="force" value="yes" label={`Save this key even though ${name} rejects it`} />
      )}
      <div className="row">
        <Button type="submit" loading={create.isPending}>
          Create key
        </Button>
        <ButtonLink to="/keys" variant="default">
          Cancel
        </ButtonLink>
      </div>
    </Form>
  );
}

/** For a provider that is not in the list. */
function OtherProvider({ onAdd }: { readonly onAdd: () => void }): ReactNode {
  if (!useOwnsInstallation())
    return <p className="soft">Other provider? An owner of the installation can add it in the settings.</p>;
  return (
    <div className="row">
      <Button variant="default" leftSection={<Icon name="plus" size={16} />} onClick={onAdd}>
        Other provider…
      </Button>
    </div>
  );
}

/** The provider key, pasted or shared with another wrapped key; or the login of the client's subscription. */
function CredentialFields({ providerName, hasSubscriptions, needsKey, shareable }: CredentialFieldsProps): ReactNode {
  const [way, setWay] = useState<CredentialWay>('paste');
  const offered = { paste: true, share: shareable.length > 0, subscription: hasSubscriptions };
  const choices = WAYS.filter(({ value }) => offered[value]);
  return (
    <>
      {choices.length > 1 && (
        <ChoiceCards legend={`${providerName} API key`} choices={choices} value={way} onChange={setWay} />
      )}
      {way === 'subscription' && (
        <>
          <input type="hidden" name="credential" value="subscription" />
          <p className="soft">
            Clients send the login of their subscription, for example Claude Code logged in to claude.ai. Tollbook
            passes it on and never stores it. Calls cost nothing more; limits count their list price.
          </p>
        </>
      )}
      {way === 'share' && (
        <SelectField
          name="providerKeyOf"
          label="Stored provider key of"
          description="Both wrapped keys use it. If it is replaced, it changes for both."
          data={shareable.map((key) => ({ value: key.id, label: `${isolated(key.name)} (${providerKeyText(key)})` }))}
        />
      )}
      {way === 'paste' && (
        <PasswordField
          name="providerKey"
          label={`Your ${providerName} API key`}
          description={`${needsKey ? '' : 'Leave empty if the server asks for no key. '}Tollbook checks the key with a free request to ${providerName}, stores it encrypted, and never shows it again.`}
          autoComplete="off"
          spellCheck={false}
          visibilityToggleButtonProps={{ 'aria-label': 'Show key' }}
          required={needsKey}
        />
      )}
    </>
  );
}

/** Optional settings of a new key. All can be changed later. */
function NewKeyExtras(): ReactNode {
  const { timeZone } = useWorkspace();
  const maySetRules = useMay('manage');
  return (
    <>
      <More title="Budgets">
        <BudgetFields budgets={{}} />
      </More>
      {maySetRules && (
        <More title="Policy">
          <RuleFields />
        </More>
      )}
      <More title="Tags and expiry">
        <TextField
          name="tags"
          label="Tags"
          description="Added to every call of this key. Clients can’t change them."
          placeholder="team=search, env=production"
        />
        <DateField
          name="lastDay"
          label="Expires"
          description={`End of this day in ${timeZone}. Leave empty for no expiry.`}
        />
      </More>
    </>
  );
}

/** The most used rules of a policy. */
function RuleFields(): ReactNode {
  return (
    <>
      <TextField
        name="allowedModels"
        label="Allowed models"
        description="Names or patterns; * matches any characters. Leave empty for all models."
        placeholder="claude-haiku-*, claude-sonnet-4-5"
      />
      <TextField
        name="maxOutputTokens"
        inputMode="numeric"
        pattern="[0-9]*"
        label="Maximum output tokens"
        description="Per call. Leave empty for the maximum of the model."
      />
      <ContextRuleFields requiredNames={[]} maxSessionsPerHour={null} />
      <p className="soft">You can set more rules on the key’s page.</p>
    </>
  );
}

/** Returns wrapped keys whose provider key a new one may share. */
function useShareable(provider: string): readonly WrappedKeyShape[] {
  const { data } = useKeys();
  return data?.filter((key) => key.provider === provider && key.revokedAt === null) ?? [];
}

/** The provider rejected the key. */
function wasRefused(error: Error | null): boolean {
  return error instanceof ApiError && error.type === 'provider_key_refused';
}
