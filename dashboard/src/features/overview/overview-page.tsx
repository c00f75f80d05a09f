import type { ReactNode } from 'react';
import type { LimitStanding } from '../../../../src/contract/limits.ts';
import type { OverviewShape } from '../../../../src/contract/overview.ts';
import type { AlertShape } from '../../../../src/contract/usage.ts';
import { isolatedQuotes } from '../../shared/format/isolated.ts';
import { amountText, fullness, limitName } from '../../shared/limits/limit-text.ts';
import { useLimits } from '../../shared/limits/use-limits.ts';
import { useKeyNames } from '../../shared/names/queries.ts';
import { Card } from '../../shared/ui/card.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Meter } from '../../shared/ui/meter.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { Ago } from '../../shared/ui/values.tsx';
import { CostOverTime, useOverTime } from './cost-over-time.tsx';
import { FirstSteps } from './first-steps.tsx';
import { Headline } from './headline.tsx';
import styles from './overview.module.css';
import { useNewestAlerts, useOverview } from './queries.ts';
import { WhatChanged } from './what-changed.tsx';

/** How things stand, at a glance; while there is nothing yet, how to begin. */
export function OverviewPage(): ReactNode {
  const overview = useOverview();
  // What stands below is asked for beside it, and not after it.
  useOverTime();
  useLimits();
  useNewestAlerts();
  return (
    <Page title="Overview">
      <Loaded of={overview} rows={9}>
        {(answer) => (isEmpty(answer) ? <FirstSteps setup={answer.setup} /> : <OverviewContent overview={answer} />)}
      </Loaded>
    </Page>
  );
}

/** What happened last; the ones nobody has read stand out. */
function NewestAlerts({ unread }: { readonly unread: number }): ReactNode {
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

const LIMITS_SHOWN = 4;

/** The limits that are nearest to their end. */
function TightestLimits(): ReactNode {
  const limits = useLimits();
  return (
    <Card title="Limits" aside={<PageLink to="/limits">All limits</PageLink>}>
      <Loaded of={limits}>
        {(page) =>
          page.limits.length === 0 ? (
            <EmptyState icon="limits" title="No limit yet" action={<PageLink to="/limits">Set a limit</PageLink>}>
              A limit holds: what a call may cost at most is set aside before it leaves.
            </EmptyState>
          ) : (
            <ul className={styles.list}>
              {page.limits
                .toSorted((a, b) => fullness(b) - fullness(a))
                .slice(0, LIMITS_SHOWN)
                .map((limit) => (
                  <TightLimit key={limit.id} limit={limit} />
                ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

function TightLimit({ limit }: { readonly limit: LimitStanding }): ReactNode {
  const keyNames = useKeyNames();
  const name = limitName(limit, (id) => keyNames.get(id) ?? id);
  return (
    <li>
      <div className={styles.line}>
        <span>{name}</span>
        <span className="soft figure">{amountText(limit.unit, Math.max(0, limit.left))} left</span>
      </div>
      <Meter label={`Used of ${name}`} used={fullness(limit)} />
    </li>
  );
}

/** Usage of reports shows in the month before any call passes the gate. */
function isEmpty({ setup, month }: OverviewShape): boolean {
  return !setup.hasCalls && !setup.hasSessions && month.toDate.cost === 0;
}

function OverviewContent({ overview }: { readonly overview: OverviewShape }): ReactNode {
  return (
    <>
      <Headline overview={overview} />
      <CostOverTime />
      <div className="halves">
        <WhatChanged changes={overview.changes} />
        <div className="stack">
          <TightestLimits />
          <NewestAlerts unread={overview.unreadAlerts} />
        </div>
      </div>
    </>
  );
}
