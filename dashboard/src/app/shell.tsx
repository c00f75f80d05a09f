import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { type ReactNode, useEffect, useMemo } from 'react';
import type { AccountShape } from '../../../src/contract/accounts.ts';
import { useLive } from '../shared/api/use-live.ts';
import { readText } from '../shared/filter/usage-filter.ts';
import { useAddress } from '../shared/filter/use-address.ts';
import { ErrorNote } from '../shared/ui/trouble.tsx';
import { accountQuery } from '../shared/session/account.ts';
import { chooseWorkspace } from '../shared/session/choose-workspace.ts';
import { type UserSession, SessionContext } from '../shared/session/session.ts';
import { NoWorkspace } from './no-workspace.tsx';
import { Sidebar } from './sidebar.tsx';
import styles from './shell.module.css';
import { RedirectToSignIn } from './to-sign-in.tsx';
import { TopBar } from './top-bar.tsx';
import { useFocusOnNavigation } from './use-kept-focus.ts';

const LAST_WORKSPACE = 'tollbook-workspace';

/** Around every page that needs a session: who is not signed in is led to the entrance, and back afterwards. */
export function Shell(): ReactNode {
  const { data: account, error, refetch } = useQuery(accountQuery);
  // Until then the document shows its own frame.
  if (!account) return error ? <ErrorNote error={error} retry={() => void refetch()} /> : null;
  if (account.state !== 'signed_in') return <RedirectToSignIn />;
  return <SignedInShell account={account} />;
}

function SignedInShell({ account }: { readonly account: AccountShape }): ReactNode {
  const { search } = useAddress((text) => ({ named: readText(text, 'workspace') }));
  const workspace = chooseWorkspace(account.workspaces ?? [], search.named, localStorage.getItem(LAST_WORKSPACE));
  const session = useMemo(() => workspace && { account, workspace }, [account, workspace]);
  useEffect(() => {
    if (workspace) localStorage.setItem(LAST_WORKSPACE, workspace.id);
  }, [workspace]);
  return session ? <ShellFrame key={session.workspace.id} session={session} /> : <NoWorkspace />;
}

function ShellFrame({ session }: { readonly session: UserSession }): ReactNode {
  const live = useLive(session.workspace.id);
  useFocusOnNavigation();
  return (
    <SessionContext value={session}>
      <a className={styles.skip} href="#main">
        Skip to the page
      </a>
      <div className={styles.shell}>
        <Sidebar live={live} />
        <div className={styles.content}>
          <TopBar live={live} />
          <main id="main" tabIndex={-1} className={styles.main}>
            <Outlet />
          </main>
        </div>
      </div>
    </SessionContext>
  );
}
