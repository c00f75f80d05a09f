import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';
import styles from './icon-button.module.css';

interface IconButtonProps {
  readonly icon: IconName;
  /** For screen readers. */
  readonly label: string;
  /** undefined = disabled. */
  readonly onClick: (() => void) | undefined;
}

/** A button in the head of a dialog or panel. */
export function IconButton({ icon, label, onClick }: IconButtonProps): ReactNode {
  return (
    <button type="button" className={styles.button} disabled={!onClick} onClick={onClick} aria-label={label}>
      <Icon name={icon} />
    </button>
  );
}
