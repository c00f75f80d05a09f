import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { LimitShape, LimitStanding } from '../../../../src/contract/limits.ts';
import { amountText, rateText } from '../../shared/limits/limit-text.ts';
import { useMay } from '../../shared/session/session.ts';
import { ConfirmDialog, Dialog, FormDialog } from '../../shared/ui/dialog.tsx';
import { ButtonLink } from '../../shared/ui/links.tsx';
import { ErrorNote } from '../../shared/ui/note.tsx';
import { writeAmount } from './limit-draft.ts';
import { useEndRaise, useRaiseLimit, useRemoveLimit } from './queries.ts';

export function LimitActions({ limit }: { readonly limit: LimitStanding }): ReactNode {
  const mayChange = useMay('manage');
  const [deed, setDeed] = useState<'raise' | 'remove' | null>(null);
  if (!mayChange) return null;
  const close = (): void => setDeed(null);
  return (
    <>
      <ButtonLink to={`/limits/${limit.id}/edit`} variant="default">
        Edit
      </ButtonLink>
      <EndRaiseButton limit={limit} />
      <Button variant="default" onClick={() => setDeed('raise')}>
        Raise for a while
      </Button>
      <Button variant="light" color="red" onClick={() => setDeed('remove')}>
        Remove
      </Button>
      {deed === 'raise' && <RaiseLimitDialog limit={limit} onClose={close} />}
      {deed === 'remove' && <RemoveLimitDialog limit={limit} onClose={close} />}
    </>
  );
}

interface LimitDialogProps {
  readonly limit: LimitStanding;
  readonly onClose: () => void;
}

function RemoveLimitDialog({ limit: shown, onClose }: LimitDialogProps): ReactNode {
  // As it was when the dialog opened: the page behind it is read anew meanwhile.
  const [limit] = useState(shown);
  const remove = useRemoveLimit(limit);
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      title="Remove this limit?"
      deed="Remove limit"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(undefined, { onSuccess: () => void navigate({ to: '/limits' }) })}
      onClose={onClose}
    >
      Calls are no longer held back by it. It can be set again, and then counts what its window has seen.
    </ConfirmDialog>
  );
}

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
function RaiseLimitDialog({ limit, onClose }: RaiseDialogProps): ReactNode {
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

function EndRaiseButton({ limit }: { readonly limit: LimitShape }): ReactNode {
  const end = useEndRaise(limit);
  return (
    <>
      {limit.raise && limit.raise.amount > limit.amount && (
        <Button variant="default" loading={end.isPending} onClick={() => end.mutate()}>
          End the raise
        </Button>
      )}
      {end.error && (
        <Dialog title="The raise was not ended" onClose={end.reset}>
          <ErrorNote error={end.error} />
        </Dialog>
      )}
    </>
  );
}
