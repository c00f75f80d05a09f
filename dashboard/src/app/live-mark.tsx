import type { ReactNode } from 'react';
import type { LiveState } from '../shared/api/live.ts';
import styles from './live-mark.module.css';

const WORDS: Readonly<Record<LiveState, string>> = {
  on: 'Live',
  connecting: 'Connecting …',
  off: 'Not live: trying again',
};

/** Whether figures follow what happens. */
export function LiveMark({ state }: { readonly state: LiveState }): ReactNode {
  return (
    <span className={styles.mark} data-state={state} role="status">
      {WORDS[state]}
    </span>
  );
}
