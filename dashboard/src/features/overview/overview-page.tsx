import type { ReactNode } from 'react';
import type { LimitStanding } from '../../../../src/contract/limits.ts';
import type { OverviewShape } from '../../../../src/contract/overview.ts';
import type { AlertShape } from '../../../../src/contract/alerts.ts';
import { useUsageQuery } from '../../shared/filter/usage-filter.ts';
import { isolatedQuotes } from '../../shared/format/isolated.ts';
import { AmountLeft } from '../../shared/limits/limit-amount.tsx';
import { limitName } from '../../shared/limits/limit-text.ts';
import { useLimits } from '../../shared/limits/use-limits.ts';
import { useKeyNames } from '../../shared/names/queries.ts';
import { useRefusalCounts } from '../../shared/refusals/queries.ts';
import { useMay } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { ButtonLink, PageLink } from '../../shared/ui/links.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Meter } from '../../shared/ui/meter.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { Ago } from '../../shared/ui/values.tsx';
import { AssistantsCard } from './assistants-card.tsx';
import { CostOverTime, useOverTime } from './cost-over-time.tsx';
import { FirstSteps } from './first-steps.tsx';
import { Headline } from './headline.tsx';
import { MonthSpend } from './month-spend.tsx';
import styles from './overview.module.css';
import { useMonthByDay, useNewestAlerts, useOverview } from './queries.ts';
import { WhatChanged } from './what-changed.tsx';
import { callsText } from '../../../../src/domain/text/counts.ts';
import { takenShare } from '../../../../src/domain/text/limits.ts';
import {
  ChartPlaceholder,
  FiguresPlaceholder,
  LinesPlaceholder,
  TablePlaceholder,
} from '../../shared/ui/placeholders.tsx';

/** Current spend, changes, limits and alerts; before the first usage, the first steps. */
export function OverviewPage(): ReactNode {
  const overview = useOverview();
  // Load the data of the cards below concurrently.
  useOverTime();
  useMonthByDay();
  useLimits();
  useNewestAlerts();
  return (
    <Page title="Overview">
      <Loaded of={overview} placeholder={<OverviewPlaceholder />}>
        {(answer) => (isEmpty(answer) ? <FirstSteps setup={answer.setup} /> : <OverviewContent overview={answer} />)}
      </Loaded>
    </Page>
  );
}

function OverviewPlaceholder(): ReactNode {
  return (
    <div className="stack">
      <FiguresPlaceholder />
      <Card>
        <ChartPlaceholder />
      </Card>
      <div className="halves">
        <Card>
          <TablePlaceholder rows={6} />
        </Card>
        <Card>
          <LinesPlaceholder rows={8} />
        </Card>
      </div>
    </div>
  );
}

/** The newest alerts, unread ones highlighted. */
function NewestAlerts({ unread }: { readonly unread: number }): ReactNode {
  const alerts = useNewestAlerts();
  return (
    <Card title="Alerts" aside={<PageLink to="/alerts">{unread === 0 ? 'All alerts' : `${unread} unread`}</PageLink>}>
      <Loaded of={alerts} placeholder={<LinesPlaceholder rows={4} />}>
        {(found) =>
          found.length === 0 ? (
            <p className="soft">No alerts.</p>
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

/** The limits with the highest use. */
function TightestLimits(): ReactNode {
  const limits = useLimits();
  const mayCreate = useMay('manage');
  return (
    <Card title="Limits" aside={<PageLink to="/limits">All limits</PageLink>}>
      <Loaded of={limits} placeholder={<LinesPlaceholder rows={6} />}>
        {(page) =>
          page.limits.length === 0 ? (
            <EmptyState
              icon="limits"
              title="No limits yet"
              action={mayCreate && <ButtonLink to="/limits/new">Create limit</ButtonLink>}
            >
              A limit caps your spend: calls that would exceed it are refused before they are sent.
            </EmptyState>
          ) : (
            <ul className={styles.list}>
              {page.limits
                .toSorted((a, b) => takenShare(b) - takenShare(a))
                .slice(0, LIMITS_SHOWN)
                .map((limit) => (
                  <TightLimit key={limit.id} limit={limit} />
                ))}
              <RefusedLately />
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

/** Numbers of calls that limits refused, with links to them. */
function RefusedLately(): ReactNode {
  const { data } = useRefusalCounts({});
  const { startDate } = useUsageQuery({ range: 'today' });
  const today = useRefusalCounts({ startDate }).data;
  if (!data || data.calls === 0) return null;
  return (
    <li className="row">
      {today && today.calls > 0 && (
        <PageLink to="/calls" search={{ only: 'refused', range: 'today' }}>
          {callsText(today.calls)} refused today
        </PageLink>
      )}
      <PageLink to="/calls" search={{ only: 'refused' }}>
        {callsText(data.calls)} refused in the last 30 days
      </PageLink>
    </li>
  );
}

function TightLimit({ limit }: { readonly limit: LimitStanding }): ReactNode {
  const keyNames = useKeyNames();
  const name = limitName(limit, (id) => keyNames.get(id) ?? id);
  return (
    <li>
      <div className={styles.line}>
        <PageLink to={`/limits/${limit.id}`}>{name}</PageLink>
        <span className="soft">
          <AmountLeft unit={limit.unit} of={limit.remaining} withNoun /> left
        </span>
      </div>
      <Meter label={`Used and reserved part of ${name}`} used={takenShare(limit)} />
    </li>
  );
}

/** A provider report can bring usage before the first call. */
function isEmpty({ setup, month }: OverviewShape): boolean {
  return !setup.hasCalls && !setup.hasSessions && month.toDate.cost === 0;
}

function OverviewContent({ overview }: { readonly overview: OverviewShape }): ReactNode {
  return (
    <>
      <Headline overview={overview} />
      <CostOverTime />
      <div className="halves">
        <div className="stack">
          <MonthSpend overview={overview} />
          <TightestLimits />
        </div>
        <div className="stack">
          <WhatChanged changes={overview.changes} />
          <NewestAlerts unread={overview.unreadAlerts} />
          <AssistantsCard />
        </div>
      </div>
    </>
  );
}
