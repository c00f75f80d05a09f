import type { ReactNode } from 'react';
import { useAddress } from '../../shared/filter/use-address.ts';
import { Card } from '../../shared/ui/card.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { useMay } from '../../shared/session/session.ts';
import { AddSubscriptionButton } from './add-subscription-button.tsx';
import { NoSubscription } from './no-subscription.tsx';
import { PeriodPicker } from './period-picker.tsx';
import { readSavingsAddress } from './savings-address.ts';
import { SavingsBreakdownTable } from './savings-breakdown-table.tsx';
import { SavingsFigures } from './savings-figures.tsx';
import { SubscriptionTable } from './subscription-table.tsx';
import { useSavings } from './use-savings.ts';
import { useSubscriptions } from './use-subscriptions.ts';

/** Whether flat-rate plans are worth their price. */
export function SavingsPage(): ReactNode {
  const { search, change } = useAddress(readSavingsAddress);
  const savings = useSavings(search);
  const subscriptions = useSubscriptions();
  const mayChange = useMay('manage');
  return (
    <Page
      title="Savings"
      lead="What the usage that flat-rate plans cover would have cost at retail price, minus what the plans cost."
      actions={mayChange && <AddSubscriptionButton />}
    >
      <Loaded of={savings}>
        {(answer) => (
          <>
            <PeriodPicker savings={answer} address={search} onChange={change} />
            <SavingsFigures savings={answer} />
          </>
        )}
      </Loaded>
      <Card title="Subscriptions">
        <Loaded of={subscriptions}>
          {(all) => (all.length === 0 ? <NoSubscription /> : <SubscriptionTable subscriptions={all} />)}
        </Loaded>
      </Card>
      <Card title="Usage by model">
        <SavingsBreakdownTable address={search} />
      </Card>
    </Page>
  );
}
