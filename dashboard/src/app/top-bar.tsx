import type { ReactNode } from 'react';
import type { LiveState } from '../shared/api/live.ts';
import { AccountMenu } from './account-menu.tsx';
import { AppearanceSwitch } from './appearance-switch.tsx';
import { ClockSwitch } from './clock-switch.tsx';
import { PageSearch } from './page-search.tsx';
import styles from './top-bar.module.css';

/** Above every page: search, how it looks, whose clock, and who is signed in. */
export function TopBar({ live }: { readonly live: LiveState }): ReactNode {
  return (
    <section className={styles.bar} aria-label="Tools">
      <PageSearch />
      {live === 'off' && (
        <span className={styles.off} role="status">
          Figures are not live at present
        </span>
      )}
      <div className={styles.end}>
        <ClockSwitch />
        <AppearanceSwitch />
        <AccountMenu />
      </div>
    </section>
  );
}
