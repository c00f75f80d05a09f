import type { ReactNode } from 'react';
import { PeriodSelect } from '../../shared/filter/period-select.tsx';
import { useAddress } from '../../shared/filter/use-address.ts';
import { readUsageFilter } from '../../shared/filter/usage-filter.ts';
import { Card } from '../../shared/ui/card.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { useMay } from '../../shared/session/session.ts';
import { AddConnectionButton } from './add-connection-button.tsx';
import { ConnectionCard } from './connection-card.tsx';
import { NoConnection } from './no-connection.tsx';
import { OrganizationCard } from './organization-card.tsx';
import { useAdminKeys } from './use-admin-keys.ts';
import { useReconciliation } from './use-reconciliation.ts';

/** Of 31 days at most, which is what is compared at once. */
const COMPARED_RANGES = ['today', '7d', '30d', 'month', 'last_month'] as const;

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
