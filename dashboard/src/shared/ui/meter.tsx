import type { ReactNode } from 'react';
import styles from './meter.module.css';

interface MeterProps {
  /** Accessible name. */
  readonly label: string;
  /** Used and held part, 1 = full. Default of `held`: 0. */
  readonly used: number;
  readonly held?: number;
}

const WARN_FROM = 0.8;

/** A fill level. The color only repeats the figures next to it. */
export function Meter({ label, used, held = 0 }: MeterProps): ReactNode {
  const full = Math.min(1, Math.max(0, used));
  const aside = Math.min(1 - full, Math.max(0, held));
  const state = used + held >= 1 ? 'full' : used + held >= WARN_FROM ? 'near' : 'calm';
  return (
    <div className={styles.meter} data-state={state} role="img" aria-label={label}>
      <span className={styles.used} style={{ width: `${full * 100}%` }} />
      <span className={styles.held} style={{ width: `${aside * 100}%` }} />
    </div>
  );
}
