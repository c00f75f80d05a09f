import type { ReactNode } from 'react';
import type { AlertShape } from '../../../../src/contract/alerts.ts';
import { isolatedQuotes } from '../../shared/format/isolated.ts';
import { ALERT_TYPE_NAMES } from '../../shared/names/display-names.ts';
import { PageLink } from '../../shared/ui/links.tsx';
import { Ago, StateBadge } from '../../shared/ui/values.tsx';
import { SEVERITY_NAMES } from './alert-text.ts';
import styles from './alert-list.module.css';

const COLORS = { critical: 'red', warning: 'yellow', info: 'gray' } as const;

export function AlertList({ alerts }: { readonly alerts: readonly AlertShape[] }): ReactNode {
  return (
    <ul className={styles.list} aria-label="Alerts">
      {alerts.map((alert) => (
        <AlertItem key={alert.id} alert={alert} />
      ))}
    </ul>
  );
}

export function SeverityBadge({ of }: { readonly of: Pick<AlertShape, 'severity'> }): ReactNode {
  return <StateBadge color={COLORS[of.severity]}>{SEVERITY_NAMES[of.severity]}</StateBadge>;
}

function AlertItem({ alert }: { readonly alert: AlertShape }): ReactNode {
  const { id, type, title, message, createdAt, read, resolvedAt } = alert;
  return (
    <li className={styles.alert} data-read={read}>
      <div className={styles.head}>
        <span className={styles.title}>
          {!read && <span className={styles.dot} role="img" aria-label="Unread" />}
          <PageLink to={`/alerts/${id}`}>{isolatedQuotes(title)}</PageLink>
        </span>
        <SeverityBadge of={alert} />
        {resolvedAt !== null && <StateBadge color="gray">Resolved</StateBadge>}
      </div>
      <p className={styles.message}>{isolatedQuotes(message)}</p>
      <p className={styles.foot}>
        {ALERT_TYPE_NAMES[type]} · <Ago at={createdAt} />
      </p>
    </li>
  );
}
