import { NativeSelect, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { LimitStanding } from '../../../../src/contract/limits.ts';
import { FormDialog } from '../../shared/ui/form-dialog.tsx';
import { writeAmount } from './limit-draft.ts';
import { amountText, rateText } from '../../shared/limits/limit-words.ts';
import { useRaiseLimit } from './use-raise-limit.ts';

interface RaiseDialogProps {
  readonly limit: LimitStanding;
  readonly onClose: () => void;
}

const RAISE_SPANS = [
  { value: '1h', label: 'an hour' },
  { value: '4h', label: '4 hours' },
  { value: '1d', label: 'a day' },
  { value: '3d', label: '3 days' },
  { value: '7d', label: 'a week' },
];
const TWICE = 2;

/** A larger amount for a while; afterwards the limit holds again by itself. */
export function RaiseLimitDialog({ limit, onClose }: RaiseDialogProps): ReactNode {
  const raise = useRaiseLimit(limit.id);
  const { unit, amount, counted } = limit;
  // As the dialog was opened with: what is read anew meanwhile is another's doing.
  const [seen] = useState({ unit, amount, raise: limit.raise });
  return (
    <FormDialog
      title="Raise the limit for a while"
      deed="Raise"
      busy={raise.isPending}
      error={raise.error}
      onClose={onClose}
      onSubmit={(fields) =>
        raise.mutate({ amount: fields('amount'), for: fields('for'), seen }, { onSuccess: onClose })
      }
    >
      <p>
        It is {rateText(limit)}, of which {amountText(unit, counted)} are counted.
      </p>
      <TextInput
        name="amount"
        label="Raise it to"
        inputMode="decimal"
        leftSection={unit === 'usd' ? '$' : undefined}
        defaultValue={writeAmount(unit, amount * TWICE)}
        required
      />
      <NativeSelect name="for" label="For" defaultValue="1d" data={RAISE_SPANS} />
    </FormDialog>
  );
}
