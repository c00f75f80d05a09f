import type { ReactNode } from 'react';
import type { AlertShape } from '../../../../src/contract/usage.ts';
import { Ago } from '../../shared/theme/instant.tsx';
import { PageLink } from '../../shared/theme/page-link.tsx';
import { Card } from '../../shared/ui/card.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import styles from './overview.module.css';
import { useNewestAlerts } from './use-newest-alerts.ts';
import { isolatedQuotes } from '../../shared/format/isolated.ts';

/** What happened last; the ones nobody has read stand out. */
export function NewestAlerts({ unread }: { readonly unread: number }): ReactNode {
  const alerts = useNewestAlerts();
  return (
    <Card title="Alerts" aside={<PageLink to="/alerts">{unread === 0 ? 'All alerts' : `${unread} unread`}</PageLink>}>
      <Loaded of={alerts}>
        {(found) =>
          found.length === 0 ? (
            <p className="soft">Nothing happened that you should know of.</p>
          ) : (
            <ul className={styles.list}>
              {found.map((alert) => (
                <NewestAlert key={alert.id} alert={alert} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

function NewestAlert({ alert }: { readonly alert: AlertShape }): ReactNode {
  return (
    <li className={styles.alert} data-severity={alert.severity} data-read={alert.read}>
      <div className={styles.line}>
        <PageLink to={`/alerts/${alert.id}`}>{isolatedQuotes(alert.title)}</PageLink>
        <span className="soft">
          <Ago at={alert.createdAt} />
        </span>
      </div>
    </li>
  );
}
