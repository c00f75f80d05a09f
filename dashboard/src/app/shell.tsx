import { useQuery } from '@tanstack/react-query';
import { Outlet, useLocation, useNavigate, useRouter } from '@tanstack/react-router';
import { type ComponentProps, type ReactNode, useEffect, useMemo, useState } from 'react';
import type { AccountShape } from '../../../src/contract/accounts.ts';
import { useLive } from '../shared/api/use-live.ts';
import { useAddress } from '../shared/filter/address.ts';
import { readText } from '../shared/filter/usage-filter.ts';
import { accountQuery, chooseWorkspace } from '../shared/session/account.ts';
import { SessionContext, type UserSession } from '../shared/session/session.ts';
import { lastError } from '../shared/ui/loaded.tsx';
import { ErrorNote } from '../shared/ui/note.tsx';
import { NoWorkspace } from './fallback-pages.tsx';
import styles from './shell.module.css';
import { Sidebar } from './sidebar.tsx';
import { TopBar } from './top-bar.tsx';

/** Frame of every page that needs a user session; without one it redirects to the sign-in page. */
export function Shell(): ReactNode {
  const reading = useQuery(accountQuery);
  const { data: account } = reading;
  if (!account) {
    const error = lastError(reading);
    // Until then the document shows its static frame.
    return error && <AccountError error={error} retry={() => void reading.refetch()} />;
  }
  if (account.state !== 'signed_in') return <RedirectToSignIn />;
  return <SignedInShell account={account} />;
}

function AccountError(note: ComponentProps<typeof ErrorNote>): ReactNode {
  return (
    <main className={styles.failed}>
      <ErrorNote {...note} />
    </main>
  );
}

/**
 * Moves the focus to the heading of a new page. Otherwise it falls back to the top of the document, and the keyboard
 * would pass through the whole navigation again.
 */
function useFocusOnNavigation(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (fromLocation && pathChanged && document.activeElement === document.body) findHeadingOrMain()?.focus();
      }),
    [router],
  );
}

/** A page that is still loading has no heading yet. */
function findHeadingOrMain(): HTMLElement | null {
  const page = document.querySelector('main');
  return page?.querySelector('h1') ?? page;
}

/** Redirects to the sign-in page, which returns to the current address. */
function RedirectToSignIn(): null {
  const { href } = useLocation();
  // The address changes during the redirect: keep the first one.
  const [from] = useState(href);
  const navigate = useNavigate();
  useEffect(() => {
    void navigate({ to: '/sign-in', search: from === '/' ? {} : { to: from }, replace: true });
  }, [from, navigate]);
  return null;
}

const LAST_WORKSPACE = 'tollbook-workspace';

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
        Skip to content
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
