import type { ReactNode } from 'react';
import styles from './figure.module.css';

interface FigureProps {
  readonly name: string;
  readonly value: ReactNode;
  /** What the figure means, or how it came about. */
  readonly note?: ReactNode;
}

/** One figure that matters, with its name above and what it means below. */
export function Figure({ name, value, note }: FigureProps): ReactNode {
  return (
    <div className={styles.figure}>
      <div className={styles.name}>{name}</div>
      <div className={styles.value}>{value}</div>
      {note !== undefined && <div className={`${styles.note} in-text`}>{note}</div>}
    </div>
  );
}
