import type { ReactNode } from 'react';
import styles from './more.module.css';

interface MoreProps {
  readonly title: string;
  readonly open?: boolean;
  readonly children: ReactNode;
}

/** What most people don't need: folded away by the browser's own means. */
export function More({ title, open = false, children }: MoreProps): ReactNode {
  return (
    <details className={styles.more} open={open}>
      <summary>{title}</summary>
      <div className={styles.body}>{children}</div>
    </details>
  );
}
