import type { ReactNode } from 'react';
import { useAddress } from '../../shared/filter/address.ts';
import { PeriodSelect } from '../../shared/filter/period-select.tsx';
import { readUsageFilter } from '../../shared/filter/usage-filter.ts';
import { useMay } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { CopyBlock } from '../../shared/ui/copy-block.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { AddConnectionButton, ConnectionCard } from './connections.tsx';
import { OrganizationCard } from './organization-card.tsx';
import { useAdminKeys, useReconciliation } from './queries.ts';

/** Whether the book matches the bill, and why not where it doesn't. */
export function ReportsPage(): ReactNode {
  const connections = useAdminKeys();
  const mayChange = useMay('manage');
  return (
    <Page
      title="Provider reports"
      lead="What providers say that your organizations used, beside what passed the gate: every difference has a reason."
      actions={mayChange && <AddConnectionButton />}
    >
      <Loaded of={connections}>
        {(all) =>
          all.length === 0 ? (
            <Card>
              <NoConnection />
            </Card>
          ) : (
            <>
              <div className="halves">
                {all.map((each) => (
                  <ConnectionCard key={each.id} connection={each} />
                ))}
              </div>
              <ReconciliationCards />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function NoConnection(): ReactNode {
  const mayConnect = useMay('manage');
  return (
    <EmptyState
      icon="reports"
      title="No organization is connected"
      action={
        mayConnect ? (
          <CopyBlock
            name="command that connects an organization"
            text="npx tollbook admin-keys add --provider anthropic --name main --key-stdin"
          />
        ) : undefined
      }
    >
      With an admin key of your organization at Anthropic or OpenAI, Tollbook reads its usage and cost reports: a year
      back, and then every few minutes. You see all that was spent without changing any program, and how much of it
      passes the gate. The key is kept encrypted, and reads reports only.
      {!mayConnect && ' An admin of this workspace can connect one.'}
    </EmptyState>
  );
}

/** Of 31 days at most, which is what is compared at once. */
const COMPARED_RANGES = ['today', '7d', '30d', 'month', 'last_month'] as const;

function ReconciliationCards(): ReactNode {
  const { search: filter, change } = useAddress(readUsageFilter);
  return (
    <>
      <div className="row">
        <h2>Book and bill</h2>
        <PeriodSelect choice={filter} ranges={COMPARED_RANGES} onChange={change} />
        <span className="soft">Days of UTC, as providers report them</span>
      </div>
      <Loaded of={useReconciliation(filter, true)} rows={10}>
        {({ organizations, reasonNames }) =>
          organizations.map((each) => <OrganizationCard key={each.id} organization={each} reasonNames={reasonNames} />)
        }
      </Loaded>
    </>
  );
}
