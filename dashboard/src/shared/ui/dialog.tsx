import { Button } from '@mantine/core';
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import styles from './dialog.module.css';
import type { FormFields } from './fields.ts';
import { Form, FormError } from './form.tsx';
import { IconButton } from './icon-button.tsx';
import { ErrorNote } from './note.tsx';

interface DialogProps {
  readonly title: string;
  /** Also called by Escape and the close button. */
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * A native modal dialog: it traps the focus, closes with Escape, and returns the focus. It is open while it is
 * rendered.
 */
export function Dialog({ title, onClose, children }: DialogProps): ReactNode {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Close before it is removed: a removed dialog can't return the focus.
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (dialog && !dialog.open) {
      dialog.showModal();
      // The browser would focus the close button.
      findFirstFocus(dialog)?.focus();
    }
    return () => {
      dialog?.close();
      queueMicrotask(restoreFocus);
    };
  }, []);
  return (
    <dialog
      ref={ref}
      className={styles.dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header className={styles.head}>
        <h2 id={id}>{title}</h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      {children}
    </dialog>
  );
}

/** Returns the marked element, else the first field, else the first button. */
function findFirstFocus(dialog: HTMLElement): HTMLElement | null {
  for (const what of ['[data-first]', 'input, select, textarea', 'header ~ * button']) {
    const first = dialog.querySelector<HTMLElement>(what);
    if (first) return first;
  }
  return null;
}

/** Focuses the page when the element that opened the dialog is gone. */
function restoreFocus(): void {
  if (document.activeElement === document.body) document.querySelector<HTMLElement>('main')?.focus();
}

interface ConfirmDialogProps {
  readonly title: string;
  /** Effect of the action, and whether it can be undone. */
  readonly children: ReactNode;
  /** Label of the button: "Revoke key". */
  readonly actionLabel: string;
  readonly busy: boolean;
  readonly error: unknown;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks for confirmation. */
export function ConfirmDialog(props: ConfirmDialogProps): ReactNode {
  const { title, children, actionLabel, busy, error, onConfirm, onClose } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="stack">
        <div>{children}</div>
        {error !== null && error !== undefined && <ErrorNote error={error} />}
        <div className="row">
          <Button color="red" loading={busy} onClick={onConfirm}>
            {actionLabel}
          </Button>
          <Button variant="default" onClick={onClose} data-first>
            Cancel
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

interface FormDialogProps {
  readonly title: string;
  /** Label of the button: "Save changes". */
  readonly actionLabel: string;
  readonly busy: boolean;
  readonly error: unknown;
  readonly onSubmit: (fields: FormFields) => void;
  readonly onClose: () => void;
  /** Named fields. */
  readonly children: ReactNode;
}

/** A form in a dialog: Enter submits, Escape cancels. */
export function FormDialog(props: FormDialogProps): ReactNode {
  const { title, actionLabel, busy, error, onSubmit, onClose, children } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      <Form onSubmit={onSubmit} error={error}>
        {children}
        <FormError />
        <div className="row">
          <Button type="submit" loading={busy}>
            {actionLabel}
          </Button>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
