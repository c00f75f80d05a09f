import type { ReactNode } from 'react';
import type { LiveState } from '../shared/api/live.ts';
import styles from './live-mark.module.css';

const LIVE_STATE_NAMES: Readonly<Record<LiveState, string>> = {
  on: 'Live',
  connecting: 'Connecting…',
  off: 'Reconnecting…',
};

/** State of the live updates. */
export function LiveStatus({ state }: { readonly state: LiveState }): ReactNode {
  return (
    <span className={styles.mark} data-state={state} role="status">
      {LIVE_STATE_NAMES[state]}
    </span>
  );
}
