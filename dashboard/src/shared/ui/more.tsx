import type { ReactNode } from 'react';
import styles from './more.module.css';

interface MoreProps {
  readonly title: string;
  readonly open?: boolean;
  readonly children: ReactNode;
}

/** Collapsed content that most people don't need. */
export function More({ title, open = false, children }: MoreProps): ReactNode {
  return (
    <details className={styles.more} open={open}>
      <summary>{title}</summary>
      <div className={styles.body}>{children}</div>
    </details>
  );
}
