import type { ReactNode } from 'react';
import type { WrappedKeyShape } from '../../../../src/contract/usage.ts';
import { ConfirmDialog } from '../../shared/ui/confirm-dialog.tsx';
import { useRevokeKey } from './use-revoke-key.ts';
import { isolated } from '../../shared/format/isolated.ts';

interface KeyDialogProps {
  readonly of: WrappedKeyShape;
  readonly onClose: () => void;
}

export function RevokeKeyDialog({ of, onClose }: KeyDialogProps): ReactNode {
  const revoke = useRevokeKey(of.id);
  return (
    <ConfirmDialog
      title={`Revoke ${isolated(of.name)}?`}
      deed="Revoke key"
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      Calls that begin after this are refused; it can’t be undone. Its calls stay in the book.
      {of.providerKey.usedBy > 1 && ' Wrapped keys that share its provider key go on.'}
    </ConfirmDialog>
  );
}
