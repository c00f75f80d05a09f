import type { ReactNode } from 'react';
import styles from './meter.module.css';

interface MeterProps {
  /** What is measured, for who doesn't see it. */
  readonly name: string;
  /** Of the whole, 0 to 1; what is beyond is shown as full. */
  readonly share: number;
  readonly kind?: 'calm' | 'warn' | 'bad';
}

const PERCENT = 100;

/** How much of something is used. */
export function Meter({ name, share, kind = 'calm' }: MeterProps): ReactNode {
  const percent = Math.round(Math.min(1, Math.max(0, share)) * PERCENT);
  return (
    <div
      className={styles.meter}
      data-kind={kind}
      role="meter"
      aria-label={name}
      aria-valuemin={0}
      aria-valuemax={PERCENT}
      aria-valuenow={percent}
    >
      <span style={{ width: `${percent}%` }} />
    </div>
  );
}
