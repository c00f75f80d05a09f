import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { LimitShape, LimitStanding } from '../../../../src/contract/limits.ts';
import { useMay } from '../../shared/session/session.ts';
import { ConfirmDialog, Dialog, FormDialog } from '../../shared/ui/dialog.tsx';
import { ButtonLink } from '../../shared/ui/links.tsx';
import { ErrorNote } from '../../shared/ui/note.tsx';
import { writeAmount } from '../../shared/limits/limit-text.ts';
import { useEndRaise, useRaiseLimit, useRemoveLimit } from './queries.ts';
import { describeRate, describeShownAmount } from '../../../../src/domain/text/limits.ts';
import { SelectField, TextField } from '../../shared/ui/form-inputs.tsx';

export function LimitActions({ limit }: { readonly limit: LimitStanding }): ReactNode {
  const mayChange = useMay('manage');
  const [openDialog, setOpenDialog] = useState<'raise' | 'remove' | null>(null);
  if (!mayChange) return null;
  const close = (): void => setOpenDialog(null);
  return (
    <>
      <ButtonLink to={`/limits/${limit.id}/edit`} variant="default">
        Edit
      </ButtonLink>
      <EndRaiseButton limit={limit} />
      <Button variant="default" onClick={() => setOpenDialog('raise')}>
        Raise temporarily
      </Button>
      <Button variant="light" color="red" onClick={() => setOpenDialog('remove')}>
        {' '}
        Delete{' '}
      </Button>
      {openDialog === 'raise' && <RaiseLimitDialog limit={limit} onClose={close} />}
      {openDialog === 'remove' && <RemoveLimitDialog limit={limit} onClose={close} />}
    </>
  );
}

interface LimitDialogProps {
  readonly limit: LimitStanding;
  readonly onClose: () => void;
}

function RemoveLimitDialog({ limit: shown, onClose }: LimitDialogProps): ReactNode {
  // Keep the values from when the dialog opened: the page behind it refreshes.
  const [limit] = useState(shown);
  const remove = useRemoveLimit(limit);
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      title="Delete limit?"
      actionLabel="Delete limit"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(undefined, { onSuccess: () => void navigate({ to: '/limits' }) })}
      onClose={onClose}
    >
      Calls no longer count toward it. If you create it again, usage so far in its window counts.
    </ConfirmDialog>
  );
}

interface RaiseDialogProps {
  readonly limit: LimitStanding;
  readonly onClose: () => void;
}

const RAISE_SPANS = [
  { value: '1h', label: '1 hour' },
  { value: '4h', label: '4 hours' },
  { value: '1d', label: '1 day' },
  { value: '3d', label: '3 days' },
  { value: '7d', label: '1 week' },
];
const TWICE = 2;

/** Raises a limit temporarily. Afterwards the normal amount applies again. */
function RaiseLimitDialog({ limit: shown, onClose }: RaiseDialogProps): ReactNode {
  // Keep the values from when the dialog opened: the page behind it refreshes.
  const [limit] = useState(shown);
  const raise = useRaiseLimit(limit);
  const { unit, amount, counted } = limit;
  return (
    <FormDialog
      title="Raise limit temporarily"
      actionLabel="Raise limit"
      busy={raise.isPending}
      error={raise.error}
      onClose={onClose}
      onSubmit={(fields) => raise.mutate({ amount: fields('amount'), for: fields('for') }, { onSuccess: onClose })}
    >
      <p>
        Current limit: {describeRate(limit)}. Used: {describeShownAmount(unit, counted)}.
      </p>
      <TextField
        name="amount"
        label="New amount"
        inputMode="decimal"
        leftSection={unit === 'usd' ? '$' : undefined}
        defaultValue={writeAmount(unit, amount * TWICE)}
        required
      />
      <SelectField name="for" label="Duration" defaultValue="1d" data={RAISE_SPANS} />
    </FormDialog>
  );
}

function EndRaiseButton({ limit }: { readonly limit: LimitShape }): ReactNode {
  const end = useEndRaise(limit);
  return (
    <>
      {limit.raise && limit.raise.amount > limit.amount && (
        <Button variant="default" loading={end.isPending} onClick={() => end.mutate()}>
          End raise
        </Button>
      )}
      {end.error && (
        <Dialog title="Could not end the raise" onClose={end.reset}>
          <ErrorNote error={end.error} />
        </Dialog>
      )}
    </>
  );
}
