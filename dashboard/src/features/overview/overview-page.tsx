import type { ReactNode } from 'react';
import type { OverviewShape } from '../../../../src/contract/overview.ts';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { useLimits } from '../../shared/limits/use-limits.ts';
import { CostOverTime, useOverTime } from './cost-over-time.tsx';
import { FirstSteps } from './first-steps.tsx';
import { Headline } from './headline.tsx';
import { NewestAlerts } from './newest-alerts.tsx';
import { TightestLimits } from './tightest-limits.tsx';
import { useNewestAlerts } from './use-newest-alerts.ts';
import { useOverview } from './use-overview.ts';
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
