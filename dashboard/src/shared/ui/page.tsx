import { type ReactNode, useEffect } from 'react';
import styles from './page.module.css';

interface PageProps {
  readonly title: string;
  /** One sentence about the purpose of the page. */
  readonly lead?: ReactNode;
  /** Buttons to the right of the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** Layout of a page: title, purpose, actions and sections. */
export function Page({ title, lead, actions, children }: PageProps): ReactNode {
  useEffect(() => {
    document.title = `${title} · Tollbook`;
  }, [title]);
  return (
    <div className="stack">
      <header className={styles.head}>
        <div>
          <h1 tabIndex={-1}>{title}</h1>
          {lead !== undefined && <p className="soft">{lead}</p>}
        </div>
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}
