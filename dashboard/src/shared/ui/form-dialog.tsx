import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from './dialog.tsx';
import { type FormFields, useFields } from './fields.ts';
import { ErrorNote } from './trouble.tsx';

interface FormDialogProps {
  readonly title: string;
  /** The deed in a word or two: "Rename". */
  readonly deed: string;
  readonly busy: boolean;
  readonly error: unknown;
  readonly onSubmit: (fields: FormFields) => void;
  readonly onClose: () => void;
  /** Fields with names. */
  readonly children: ReactNode;
}

/** Asks for a few things in a dialog; Enter does it, Escape leaves it. */
export function FormDialog(props: FormDialogProps): ReactNode {
  const { title, deed, busy, error, onSubmit, onClose, children } = props;
  const submit = useFields(onSubmit);
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        {children}
        {error !== null && error !== undefined && <ErrorNote error={error} />}
        <div className="row">
          <Button type="submit" loading={busy}>
            {deed}
          </Button>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
