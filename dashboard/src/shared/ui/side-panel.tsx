import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { IconButton } from './icon-button.tsx';
import styles from './side-panel.module.css';

interface SidePanelProps {
  readonly title: string;
  /** Buttons to the right of the title. */
  readonly actions?: ReactNode;
  /** Also called by Escape and the close button. */
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Width from which the page next to the panel stays usable. */
const WIDE = '(width >= 60rem)';

/** A panel at the right with details of what was chosen on the page. On narrow screens it covers the page. */
export function SidePanel({ title, actions, onClose, children }: SidePanelProps): ReactNode {
  const ref = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const panel = ref.current;
    const opener = document.activeElement;
    if (matchMedia(WIDE).matches) panel?.show();
    else panel?.showModal();
    heading.current?.focus();
    return () => {
      panel?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  const closeByEscape = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    onClose();
  };
  return (
    <dialog ref={ref} className={styles.panel} aria-labelledby={id} onKeyDown={closeByEscape} onClose={onClose}>
      <header className={styles.head}>
        <h2 id={id} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <div className={styles.actions}>
          {actions}
          <IconButton icon="close" label="Close" onClick={onClose} />
        </div>
      </header>
      <div className={styles.body}>{children}</div>
    </dialog>
  );
}
