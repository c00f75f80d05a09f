import type { ReactNode } from 'react';
import styles from './empty-state.module.css';
import { Icon, type IconName } from './icon.tsx';

interface EmptyStateProps {
  readonly icon: IconName;
  /** Title such as "No keys yet". */
  readonly title: string;
  /** Explains the purpose and the next step. */
  readonly children: ReactNode;
  /** Next step: a button or link. */
  readonly action?: ReactNode;
}

/** Placeholder for an empty list, with the next step. */
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
