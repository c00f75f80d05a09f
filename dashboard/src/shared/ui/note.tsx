import type { ReactNode } from 'react';
import { Icon } from '../theme/icon.tsx';
import styles from './note.module.css';

interface NoteProps {
  readonly kind: 'info' | 'warn' | 'bad';
  readonly children: ReactNode;
}

/** Something the reader should know here and now. */
export function Note({ kind, children }: NoteProps): ReactNode {
  return (
    <div className={styles.note} data-kind={kind} role={kind === 'bad' ? 'alert' : undefined}>
      <Icon name={kind === 'info' ? 'right' : 'warning'} />
      <div className={styles.text}>{children}</div>
    </div>
  );
}
