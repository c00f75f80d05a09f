import type { ReactNode } from 'react';
import styles from './empty-state.module.css';
import { Icon, type IconName } from './icon.tsx';

interface EmptyStateProps {
  readonly icon: IconName;
  /** What is not there yet. */
  readonly title: string;
  /** What will stand here, and how it comes to be. */
  readonly children: ReactNode;
  /** The next step: a button or a link. */
  readonly action?: ReactNode;
}

/** Stands where there is nothing yet, and teaches how there will be something. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps): ReactNode {
  return (
    <div className={styles.empty}>
      <span className={styles.icon}>
        <Icon name={icon} size={26} />
      </span>
      <h3>{title}</h3>
      <div className={styles.text}>{children}</div>
      {action}
    </div>
  );
}
