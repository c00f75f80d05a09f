import type { ReactNode } from 'react';
import type { AlertShape } from '../../../../src/contract/usage.ts';
import { usePathParameter } from '../../shared/filter/use-path-text.ts';
import { PageLink } from '../../shared/theme/page-link.tsx';
import { StateBadge } from '../../shared/theme/state-badge.tsx';
import { Card } from '../../shared/ui/card.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { AlertActions } from './alert-actions.tsx';
import { AlertEvidence } from './alert-evidence.tsx';
import { AlertFacts } from './alert-facts.tsx';
import { AlertLinks } from './alert-links.tsx';
import { SeverityBadge } from './severity-badge.tsx';
import { useAlert } from './use-alert.ts';
import { ALERT_ADVICE } from './what-to-do.ts';
import { isolatedQuotes } from '../../shared/format/isolated.ts';

/** One alert: what happened, what it rests on, what can be done. Opening it does not mark it as read. */
export function AlertPage(): ReactNode {
  const alert = useAlert(usePathParameter('alertId'));
  const found = alert.data;
  return (
    <Page
      title={found ? isolatedQuotes(found.title) : 'One alert'}
      lead={<PageLink to="/alerts">All alerts</PageLink>}
      actions={found && <AlertActions alert={found} />}
    >
      <Loaded of={alert} rows={8}>
        {(shown) => <AlertContent alert={shown} />}
      </Loaded>
    </Page>
  );
}

function AlertContent({ alert }: { readonly alert: AlertShape }): ReactNode {
  return (
    <>
      <Card>
        <div className="row">
          <SeverityBadge of={alert} />
          <StateBadge color={alert.resolvedAt === null ? 'yellow' : 'gray'}>
            {alert.resolvedAt === null ? 'goes on' : 'over'}
          </StateBadge>
        </div>
        <p>{isolatedQuotes(alert.message)}</p>
      </Card>
      <div className="halves">
        <Card title="What to do">
          <p>{ALERT_ADVICE[alert.type]}</p>
          <AlertLinks alert={alert} />
        </Card>
        <Card title="What it is about">
          <AlertFacts alert={alert} />
        </Card>
      </div>
      <AlertEvidence alert={alert} />
    </>
  );
}
