import type { ReactNode } from 'react';
import { findChoice } from '../../shared/filter/usage-filter.ts';
import type { LimitUnit, LimitWindow } from '../../shared/limits/limit-text.ts';
import { useProviders } from '../../shared/names/queries.ts';
import { ChoiceCards } from '../../shared/ui/choice-cards.tsx';
import { type EachScope, type DraftProps, type LimitDraft, zeroText } from './limit-draft.ts';
import { useLiveKeys } from './queries.ts';
import { SelectField, TextField } from '../../shared/ui/form-inputs.tsx';

const SCOPE_CHOICES = [
  { value: 'workspace', name: 'All calls' },
  { value: 'key', name: 'One key' },
  { value: 'provider', name: 'One provider' },
  { value: 'model', name: 'Models' },
  { value: 'tag', name: 'One tag value' },
  { value: 'each_tag', name: 'Each value of a tag' },
  { value: 'each', name: 'Each session, agent or run' },
] as const;

/** Selects the calls that a limit counts. */
export function ScopeFields({ draft, onChange }: DraftProps): ReactNode {
  return (
    <>
      <ChoiceCards
        legend="Scope"
        choices={SCOPE_CHOICES}
        value={draft.kind}
        onChange={(kind) => onChange(chooseKind(kind))}
      />
      {draft.kind === 'key' && <KeyField draft={draft} onChange={onChange} />}
      {draft.kind === 'each' && <EachFields draft={draft} onChange={onChange} />}
      {draft.kind === 'provider' && <ProviderField draft={draft} onChange={onChange} />}
      {draft.kind === 'model' && (
        <TextField
          name="scope.pattern"
          label="Models"
          description="A name or pattern; * matches any characters"
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

/** The amount of a session, agent or run usually never resets. */
function chooseKind(kind: LimitDraft['kind']): Partial<LimitDraft> {
  return kind === 'each' ? { kind, window: 'total' } : { kind };
}

const NAME_CHOICES: readonly { readonly value: EachScope['of']; readonly label: string }[] = [
  { value: 'session', label: 'session' },
  { value: 'agent', label: 'agent, with the agents that it starts' },
  { value: 'run', label: 'run' },
];

function EachFields({ draft, onChange }: DraftProps): ReactNode {
  const keys = useLiveKeys();
  const names = NAME_CHOICES.map(({ value }) => value);
  return (
    <div className="row row-fields">
      <SelectField
        label="Each"
        value={draft.of}
        onChange={({ currentTarget }) => onChange({ of: findChoice(names, currentTarget.value) ?? draft.of })}
        data={[...NAME_CHOICES]}
      />
      <SelectField
        label="Of"
        value={draft.keyId}
        onChange={({ currentTarget }) => onChange({ keyId: currentTarget.value })}
        data={[{ value: '', label: 'All keys' }, ...keys.map(({ id, name }) => ({ value: id, label: name }))]}
      />
    </div>
  );
}

function KeyField({ draft, onChange }: DraftProps): ReactNode {
  const keys = useLiveKeys();
  return (
    <SelectField
      name="scope.keyId"
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
    <SelectField
      name="scope.provider"
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
    <div className="row row-fields">
      <TextField
        name="scope.key"
        label="Tag"
        placeholder={draft.kind === 'tag' ? 'team' : 'user'}
        required
        value={draft.tagKey}
        onChange={({ currentTarget }) => onChange({ tagKey: currentTarget.value })}
      />
      {draft.kind === 'tag' && (
        <TextField
          name="scope.value"
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

const UNIT_CHOICES: readonly { readonly value: LimitUnit; readonly label: string }[] = [
  { value: 'usd', label: 'dollars' },
  { value: 'calls', label: 'calls' },
  { value: 'tokens', label: 'tokens' },
  { value: 'input_tokens', label: 'input tokens' },
  { value: 'output_tokens', label: 'output tokens' },
  { value: 'concurrency', label: 'concurrent calls' },
];

const WINDOW_CHOICES: readonly { readonly value: LimitWindow; readonly label: string }[] = [
  { value: 'minute', label: 'per minute' },
  { value: 'hour', label: 'per hour' },
  { value: 'day', label: 'per day' },
  { value: 'week', label: 'per week' },
  { value: 'month', label: 'per month' },
  { value: 'total', label: 'in total' },
];

/** Amount, unit and window of a limit, with a warning for 0. */
export function AmountFields(props: DraftProps): ReactNode {
  const zero = zeroText(props.draft);
  return (
    <>
      <AmountRow {...props} />
      {zero !== null && (
        <p className="soft" role="status">
          {zero}
        </p>
      )}
    </>
  );
}

function AmountRow({ draft, onChange }: DraftProps): ReactNode {
  const { unit, amount, window } = draft;
  const units = UNIT_CHOICES.map(({ value }) => value);
  const windows = WINDOW_CHOICES.map(({ value }) => value);
  return (
    <div className="row row-fields">
      <TextField
        name="amount"
        label="Amount"
        inputMode="decimal"
        required
        w="9rem"
        leftSection={unit === 'usd' ? '$' : undefined}
        value={amount}
        onChange={({ currentTarget }) => onChange({ amount: currentTarget.value })}
      />
      <SelectField
        label="Unit"
        value={unit}
        onChange={({ currentTarget }) => onChange({ unit: findChoice(units, currentTarget.value) ?? unit })}
        data={[...UNIT_CHOICES]}
      />
      {unit !== 'concurrency' && (
        <SelectField
          label="Window"
          value={window}
          onChange={({ currentTarget }) => onChange({ window: findChoice(windows, currentTarget.value) ?? window })}
          data={[...WINDOW_CHOICES]}
        />
      )}
    </div>
  );
}
