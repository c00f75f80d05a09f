import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { Icon } from '../theme/icon.tsx';
import styles from './dialog.module.css';

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
