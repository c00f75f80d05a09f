import type { ReactNode } from 'react';
import styles from './figure.module.css';

interface FigureProps {
  readonly name: string;
  readonly value: ReactNode;
  /** Explanation below the figure. */
  readonly note?: ReactNode;
}

/** A main figure with its name above and a note below. */
export function Figure({ name, value, note }: FigureProps): ReactNode {
  return (
    <div className={styles.figure}>
      <div className={styles.name}>{name}</div>
      <div className={styles.value}>{value}</div>
      {note !== undefined && <div className={`${styles.note} in-text`}>{note}</div>}
    </div>
  );
}
