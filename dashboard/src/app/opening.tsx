import type { ReactNode } from 'react';
import styles from './shell.module.css';

/** While it is asked who looks at the page: nothing for what is quick, then where one is. */
export function Opening(): ReactNode {
  return (
    <div className={styles.opening} role="status">
      <img src="/favicon.svg" alt="" width="40" height="40" />
      Opening the book …
    </div>
  );
}
