import type { ReactNode } from 'react';
import type { AssistantUsage } from '../../../../src/contract/assistants.ts';
import { countNoun } from '../../../../src/domain/text/counts.ts';
import { PlanCoverage, retailSum } from '../../shared/assistants/plan-coverage.tsx';
import { useAssistantUsage } from '../../shared/assistants/queries.ts';
import { type NamedRange, RANGE_NAMES } from '../../shared/time/period.ts';
import { Card } from '../../shared/ui/card.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { Money } from '../../shared/ui/values.tsx';
import { knownCost } from '../../shared/usage/cost-sum.ts';
import styles from './overview.module.css';

/** Only the sums are shown. */
const NO_LIST = { limit: 1 } as const;

/** Usage of coding assistants yesterday and in the last days; nothing without any. */
export function AssistantsCard(): ReactNode {
  const yesterday = useAssistantUsage({ range: 'yesterday' }, NO_LIST);
  const week = useAssistantUsage({ range: '7d' }, NO_LIST);
  if (!yesterday.data || !week.data || countSessions(week.data) + countSessions(yesterday.data) === 0) return null;
  return (
    <Card title="Assistants" aside={<PageLink to="/assistants">All usage</PageLink>}>
      <ul className={styles.list}>
        <AssistantsLine range="yesterday" usage={yesterday.data} />
        <AssistantsLine range="7d" usage={week.data} />
      </ul>
    </Card>
  );
}

interface AssistantsLineProps {
  readonly range: NamedRange;
  readonly usage: AssistantUsage;
}

function AssistantsLine({ range, usage }: AssistantsLineProps): ReactNode {
  const { total } = usage;
  return (
    <li className={styles.line}>
      <span>
        <PageLink to="/assistants" search={{ range }}>
          {RANGE_NAMES[range]}
        </PageLink>{' '}
        <span className="soft">{countNoun(countSessions(usage), 'session')}</span>
      </span>
      <span>
        <Money usd={knownCost(retailSum(total))} /> <PlanCoverage {...total} />
      </span>
    </li>
  );
}

/** Counts sessions; usage without one counts for each person. */
function countSessions({ sessions, sessionsLeftOut }: AssistantUsage): number {
  return sessions.length + sessionsLeftOut;
}
