import type { ReactNode } from 'react';
import styles from './meter.module.css';

interface MeterProps {
  /** What it tells to who doesn't see it. */
  readonly label: string;
  /** Parts of the whole, 0 to 1 and beyond: what is used, and what is set aside on top of it. Default: nothing is. */
  readonly used: number;
  readonly held?: number;
}

const WARN_FROM = 0.8;

/** How full something is. The colour only repeats what the figures beside it say. */
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
