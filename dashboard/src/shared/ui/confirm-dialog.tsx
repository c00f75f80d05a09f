import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from './dialog.tsx';
import { ErrorNote } from './trouble.tsx';

interface ConfirmDialogProps {
  readonly title: string;
  /** What will happen, and whether it can be undone. */
  readonly children: ReactNode;
  /** The deed in a word or two: "Revoke key". */
  readonly deed: string;
  readonly busy: boolean;
  readonly error: unknown;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something that can't be undone. */
export function ConfirmDialog(props: ConfirmDialogProps): ReactNode {
  const { title, children, deed, busy, error, onConfirm, onClose } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="stack">
        <div>{children}</div>
        {error !== null && error !== undefined && <ErrorNote error={error} />}
        <div className="row">
          <Button color="red" loading={busy} onClick={onConfirm}>
            {deed}
          </Button>
          <Button variant="default" onClick={onClose} data-first>
            Cancel
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
