import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { usePathParameter } from '../../shared/filter/address.ts';
import { Card } from '../../shared/ui/card.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Page } from '../../shared/ui/page.tsx';
import type { HelpDocument } from './document.ts';
import { HelpContent } from './help-content.tsx';
import styles from './help.module.css';
import { helpGroups, helpTitle, loadHelpPage } from './pages.ts';
import { LinesPlaceholder } from '../../shared/ui/placeholders.tsx';

/** List of all help pages. */
export function HelpPage(): ReactNode {
  return (
    <Page title="Help" lead="The manual of this version of Tollbook.">
      <Card>
        <HelpList />
      </Card>
    </Page>
  );
}

/** One help page with the list of all others. */
export function HelpTopicPage(): ReactNode {
  const name = usePathParameter('page');
  const document = useQuery({ queryKey: ['help', name], queryFn: () => loadHelpPage(name), staleTime: Infinity });
  return (
    <Page title={helpTitle(name) ?? 'Help'} lead={<PageLink to="/help">All help pages</PageLink>}>
      <div className={styles.columns}>
        <nav aria-label="Help pages" className={styles.list}>
          <HelpList />
        </nav>
        <Card>
          <Loaded of={document} placeholder={<LinesPlaceholder rows={12} />}>
            {(found) => (found ? <HelpDocumentView key={name} document={found} /> : <HelpPageNotFound />)}
          </Loaded>
        </Card>
      </div>
    </Page>
  );
}

function HelpList(): ReactNode {
  return (
    <div className={styles.groups}>
      {helpGroups.map((group) => (
        <section key={group.title}>
          <h2 className={styles.subject}>{group.title}</h2>
          <ul className={styles.pages}>
            {group.pages.map(({ name, title }) => (
              <li key={name}>
                <PageLink to={`/help/${name}`}>{title}</PageLink>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function HelpDocumentView({ document: { blocks } }: { readonly document: HelpDocument }): ReactNode {
  const { hash } = useLocation();
  // The browser looked for the heading before the page was loaded.
  useEffect(() => {
    if (hash !== '') document.getElementById(hash)?.scrollIntoView();
  }, [hash]);
  return (
    <article className={styles.article}>
      <HelpContent blocks={blocks} />
    </article>
  );
}

function HelpPageNotFound(): ReactNode {
  return (
    <EmptyState icon="search" title="Help page not found" action={<PageLink to="/help">Show all help pages</PageLink>}>
      This version of Tollbook has no help page at this address.
    </EmptyState>
  );
}
