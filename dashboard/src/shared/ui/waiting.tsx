import type { ReactNode } from 'react';
import styles from './waiting.module.css';

/**
 * The place of what is being read, so that nothing jumps when it is there. It shows nothing for its first 400 ms: what
 * is quick never flickers.
 */
export function LoadingLines({ rows = 3 }: { readonly rows?: number }): ReactNode {
  return (
    <div className={styles.waiting} role="status">
      <span className="visually-hidden">Reading the book</span>
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} className={styles.bar} />
      ))}
    </div>
  );
}
