import { NativeSelect } from '@mantine/core';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { LiveState } from '../shared/api/live.ts';
import { useSession } from '../shared/session/session.ts';
import { Icon } from '../shared/ui/icon.tsx';
import { PageLink } from '../shared/ui/links.tsx';
import { LiveStatus } from './live-mark.tsx';
import { listPages } from './navigation.ts';
import styles from './sidebar.module.css';

/** The navigation: a sidebar, or a menu on narrow screens. */
export function Sidebar({ live }: { readonly live: LiveState }): ReactNode {
  const { account } = useSession();
  const [open, setOpen] = useState(false);
  return (
    <header className={styles.sidebar} data-open={open}>
      <div className={styles.head}>
        <PageLink to="/" className={styles.brand}>
          <img src="/favicon.svg" alt="" width="26" height="26" />
          Tollbook
        </PageLink>
        {account.demo && <span className={styles.demo}>DEMO</span>}
        <button
          type="button"
          className={styles.toggle}
          aria-expanded={open}
          aria-controls="pages"
          aria-label={open ? 'Close navigation' : 'Open navigation'}
          onClick={() => setOpen(!open)}
        >
          <Icon name={open ? 'close' : 'menu'} size={22} />
        </button>
      </div>
      <nav id="pages" aria-label="Pages" className={styles.pages}>
        <WorkspaceSwitcher />
        <PageList onChosen={() => setOpen(false)} />
        <div className={styles.foot}>
          <LiveStatus state={live} />
          <span className="soft">Version {account.version}</span>
        </div>
      </nav>
    </header>
  );
}

/** Switches the workspace. The address contains it, so a shared link opens the same workspace. */
function WorkspaceSwitcher(): ReactNode {
  const { account, workspace } = useSession();
  const navigate = useNavigate();
  const workspaces = account.workspaces ?? [];
  if (workspaces.length < 2) return null;
  return (
    <NativeSelect
      aria-label="Workspace"
      value={workspace.id}
      // Filters don't apply in another workspace: open its overview.
      onChange={({ currentTarget }) => void navigate({ to: '/', search: { workspace: currentTarget.value } })}
      data={workspaces.map(({ id, name }) => ({ value: id, label: name }))}
    />
  );
}

function PageList({ onChosen }: { readonly onChosen: () => void }): ReactNode {
  const { pathname } = useLocation();
  const { showsNodes = false } = useSession().workspace;
  const pages = listPages(showsNodes);
  return (
    <ul className={styles.list}>
      {pages.map(({ path, name, icon, group }, index) => (
        <li key={path} data-first={index > 0 && pages[index - 1]?.group !== group}>
          <PageLink
            to={path}
            className={styles.link}
            aria-current={isShown(path, pathname) ? 'page' : undefined}
            onClick={onChosen}
          >
            <Icon name={icon} />
            {name}
          </PageLink>
        </li>
      ))}
    </ul>
  );
}

function isShown(path: string, pathname: string): boolean {
  return path === '/' ? pathname === '/' : pathname === path || pathname.startsWith(`${path}/`);
}
