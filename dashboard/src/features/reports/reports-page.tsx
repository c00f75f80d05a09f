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
import { BillLinesCard } from './bill-lines.tsx';
import { AddConnectionButton, ConnectionCard } from './connections.tsx';
import { OrganizationCard } from './organization-card.tsx';
import { useAdminKeys, useReconciliation } from './queries.ts';
import { RecordPlaceholder } from '../../shared/ui/placeholders.tsx';

/** Connections to organizations, and the reconciliation of ledger and bill. */
export function ReportsPage(): ReactNode {
  const connections = useAdminKeys();
  const mayChange = useMay('manage');
  return (
    <Page
      title="Provider reports"
      lead="Compares the reports of providers with the ledger, and explains every difference."
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
      <BillLinesCard />
    </Page>
  );
}

function NoConnection(): ReactNode {
  const mayConnect = useMay('manage');
  return (
    <EmptyState
      icon="reports"
      title="No organizations connected"
      action={
        mayConnect ? (
          <CopyBlock
            name="command that connects an organization"
            text="npx tollbook admin-keys add --provider anthropic --name main --key-stdin"
          />
        ) : undefined
      }
    >
      Add an admin key of your Anthropic or OpenAI organization. Tollbook reads the usage and cost reports of the last
      year, and new ones every few minutes. You see all spend, and how much of it goes through the gateway. The key is
      stored encrypted.
      {!mayConnect && ' Ask an admin to connect one.'}
    </EmptyState>
  );
}

/** Periods of at most 31 days, the maximum of a reconciliation. */
const COMPARED_RANGES = ['today', '7d', '30d', 'month', 'last_month'] as const;

function ReconciliationCards(): ReactNode {
  const { search: filter, change } = useAddress(readUsageFilter);
  return (
    <>
      <div className="row">
        <h2>Reconciliation</h2>
        <PeriodSelect choice={filter} ranges={COMPARED_RANGES} onChange={change} />
        <span className="soft">Days in UTC</span>
      </div>
      <Loaded of={useReconciliation(filter, true)} placeholder={<RecordPlaceholder />}>
        {({ organizations, reasonNames }) =>
          organizations.map((each) => (
            <OrganizationCard key={each.id} organization={each} {...{ reasonNames, choice: filter }} />
          ))
        }
      </Loaded>
    </>
  );
}
