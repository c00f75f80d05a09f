import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { LimitStanding } from '../../../../src/contract/limits.ts';
import { ConfirmDialog } from '../../shared/ui/confirm-dialog.tsx';
import { useRemoveLimit } from './use-remove-limit.ts';

interface LimitDialogProps {
  readonly limit: LimitStanding;
  readonly onClose: () => void;
}

export function RemoveLimitDialog({ limit: shown, onClose }: LimitDialogProps): ReactNode {
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
