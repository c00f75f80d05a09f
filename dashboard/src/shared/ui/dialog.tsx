import { Button } from '@mantine/core';
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import styles from './dialog.module.css';
import { type FormFields, useFields } from './fields.ts';
import { Icon } from './icon.tsx';
import { ErrorNote } from './note.tsx';

interface DialogProps {
  readonly title: string;
  /** Called by Escape and by the closing button too. */
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * The browser's own modal dialog: it keeps the focus, closes by Escape, and gives the focus back. It is open as long as
 * it is rendered.
 */
export function Dialog({ title, onClose, children }: DialogProps): ReactNode {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Before it leaves the page: a dialog that is gone already can't give the focus back.
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (dialog && !dialog.open) {
      dialog.showModal();
      // The browser itself would begin with the closing button.
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
        <button type="button" className={styles.close} onClick={onClose} aria-label="Close">
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  );
}

/** Where a dialog begins: what it names, else its first field, else its first button. */
function findFirstFocus(dialog: HTMLElement): HTMLElement | null {
  for (const what of ['[data-first]', 'input, select, textarea', 'header ~ * button']) {
    const first = dialog.querySelector<HTMLElement>(what);
    if (first) return first;
  }
  return null;
}

/** Where what opened the dialog is gone too, the page itself has the focus, and not the very top of the document. */
function restoreFocus(): void {
  if (document.activeElement === document.body) document.querySelector<HTMLElement>('main')?.focus();
}

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
