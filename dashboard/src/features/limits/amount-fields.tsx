import { NativeSelect, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { findChoice } from '../../shared/filter/usage-filter.ts';
import { type DraftProps, zeroText } from './limit-draft.ts';
import type { LimitUnit, LimitWindow } from '../../shared/limits/limit-words.ts';

const UNIT_CHOICES: readonly { readonly value: LimitUnit; readonly label: string }[] = [
  { value: 'usd', label: 'dollars' },
  { value: 'calls', label: 'calls' },
  { value: 'tokens', label: 'tokens' },
  { value: 'input_tokens', label: 'input tokens' },
  { value: 'output_tokens', label: 'output tokens' },
  { value: 'concurrency', label: 'calls at once' },
];

const WINDOW_CHOICES: readonly { readonly value: LimitWindow; readonly label: string }[] = [
  { value: 'minute', label: 'a minute' },
  { value: 'hour', label: 'an hour' },
  { value: 'day', label: 'a day' },
  { value: 'week', label: 'a week' },
  { value: 'month', label: 'a month' },
  { value: 'total', label: 'in total' },
];

/** How much, of what, in which time; beneath it what 0 does, if it is 0. */
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
    <div className="row">
      <TextInput
        label="At most"
        inputMode="decimal"
        required
        w="9rem"
        leftSection={unit === 'usd' ? '$' : undefined}
        value={amount}
        onChange={({ currentTarget }) => onChange({ amount: currentTarget.value })}
      />
      <NativeSelect
        label="Of"
        value={unit}
        onChange={({ currentTarget }) => onChange({ unit: findChoice(units, currentTarget.value) ?? unit })}
        data={[...UNIT_CHOICES]}
      />
      {unit !== 'concurrency' && (
        <NativeSelect
          label="In"
          value={window}
          onChange={({ currentTarget }) => onChange({ window: findChoice(windows, currentTarget.value) ?? window })}
          data={[...WINDOW_CHOICES]}
        />
      )}
    </div>
  );
}
