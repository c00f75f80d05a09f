import { Button, SegmentedControl } from '@mantine/core';
import type { ReactNode } from 'react';
import type { SavingsShape } from '../../../../src/contract/sync.ts';
import { useAddress } from '../../shared/filter/address.ts';
import { callsText } from '../../shared/format/number.ts';
import { formatDay } from '../../shared/format/time.ts';
import { useMay } from '../../shared/session/session.ts';
import { addDays, localDay } from '../../shared/time/local-day.ts';
import { Card } from '../../shared/ui/card.tsx';
import { Figure } from '../../shared/ui/figure.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { Money } from '../../shared/ui/values.tsx';
import { unpricedText } from '../../shared/usage/cost-sum.ts';
import { useSavings, useSubscriptions } from './queries.ts';
import { PERIOD_NAMES, readSavingsAddress, type SavingsAddress } from './savings-address.ts';
import { SavingsBreakdownTable } from './savings-breakdown-table.tsx';
import { AddSubscriptionButton, NoSubscription, SubscriptionTable } from './subscriptions.tsx';

const STATUS_WORDS: Readonly<Record<SavingsShape['status'], string>> = {
  Saving: 'The plans are worth it',
  'Below Breakeven': 'Paying by use would be cheaper so far',
  'No Usage': 'Nothing was used',
};

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

/** The period in four figures. */
function SavingsFigures({ savings }: { readonly savings: SavingsShape }): ReactNode {
  const { retailCost, subscriptionCost, fullPeriodCost, netSavings, status, inProgress, uncovered } = savings;
  const leftOut = unpricedText(savings);
  return (
    <div className="cards">
      <Figure
        name="Usage at retail price"
        value={<Money usd={retailCost} />}
        note={leftOut === null ? callsText(savings.calls) : `${leftOut}, not in it`}
      />
      <Figure
        name="Cost of the plans"
        value={<Money usd={subscriptionCost} />}
        note={
          inProgress ? (
            <>
              so far, <Money usd={fullPeriodCost} /> for the whole period
            </>
          ) : (
            'for the days that they held'
          )
        }
      />
      <Figure name="Saved" value={<Money usd={netSavings} />} note={STATUS_WORDS[status]} />
      <Figure name="Covered by no plan" value={<Money usd={uncovered.cost} />} note="local usage, owed as it is" />
    </div>
  );
}

interface PeriodPickerProps {
  readonly savings: SavingsShape;
  readonly address: SavingsAddress;
  readonly onChange: (changes: { period?: string; date?: string | undefined }) => void;
}

/** Which day, week or month, and the one before and after. */
function PeriodPicker({ savings, address, onChange }: PeriodPickerProps): ReactNode {
  const { start, end, timeZone, inProgress } = savings;
  const first = localDay(Date.parse(start), timeZone);
  const last = localDay(Date.parse(end) - 1, timeZone);
  return (
    <div className="row">
      <SegmentedControl
        aria-label="Length of the period"
        value={address.period}
        onChange={(period) => onChange({ period })}
        data={Object.entries(PERIOD_NAMES).map(([value, label]) => ({ value, label }))}
      />
      <Button variant="default" onClick={() => onChange({ date: addDays(first, -1) })}>
        Before
      </Button>
      <strong className="figure">
        {first === last ? formatDay(first, 'UTC') : `${formatDay(first, 'UTC')} to ${formatDay(last, 'UTC')}`}
      </strong>
      <Button variant="default" disabled={inProgress} onClick={() => onChange({ date: addDays(last, 1) })}>
        After
      </Button>
      {inProgress && <span className="soft">so far; days of {timeZone}</span>}
    </div>
  );
}
