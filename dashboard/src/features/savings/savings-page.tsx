import { Button, SegmentedControl } from '@mantine/core';
import type { ReactNode } from 'react';
import type { SavingsShape } from '../../../../src/contract/sync.ts';
import { useAddress } from '../../shared/filter/address.ts';
import { useMay } from '../../shared/session/session.ts';
import { addDays, localDay } from '../../shared/time/local-day.ts';
import { Card } from '../../shared/ui/card.tsx';
import { Figure } from '../../shared/ui/figure.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { Money } from '../../shared/ui/values.tsx';
import { unpricedText } from '../../shared/usage/cost-sum.ts';
import { CoveredUsage } from './covered-usage.tsx';
import { useSavings, useSubscriptions } from './queries.ts';
import { PERIOD_NAMES, readSavingsAddress, type SavingsAddress } from './savings-address.ts';
import { SavingsBreakdownTable } from './savings-breakdown-table.tsx';
import { AddSubscriptionButton, NoSubscription, SubscriptionTable } from './subscriptions.tsx';
import { callsText } from '../../../../src/domain/text/counts.ts';
import { formatDate } from '../../../../src/domain/text/dates.ts';
import { FiguresPlaceholder, TablePlaceholder } from '../../shared/ui/placeholders.tsx';

const STATUS_WORDS: Readonly<Record<SavingsShape['status'], string>> = {
  Saving: 'The plans are cheaper than pay-as-you-go',
  'Below Breakeven': 'Pay-as-you-go is cheaper so far',
  'No Usage': 'No usage',
};

/** Compares flat-rate plans with pay-as-you-go prices. */
export function SavingsPage(): ReactNode {
  const { search, change } = useAddress(readSavingsAddress);
  const savings = useSavings(search);
  const subscriptions = useSubscriptions();
  const mayChange = useMay('manage');
  return (
    <Page
      title="Savings"
      lead="Cost of your subscriptions, compared with pay-as-you-go prices."
      actions={mayChange && <AddSubscriptionButton />}
    >
      <Loaded of={savings} placeholder={<FiguresPlaceholder />}>
        {(answer) => (
          <>
            <PeriodPicker savings={answer} address={search} onChange={change} />
            <SavingsFigures savings={answer} />
            {answer.period !== 'daily' && answer.fullPeriodCost > 0 && <CoveredUsage savings={answer} />}
          </>
        )}
      </Loaded>
      <Card title="Subscriptions">
        <Loaded of={subscriptions} placeholder={<TablePlaceholder rows={1} />}>
          {(all) => (all.length === 0 ? <NoSubscription /> : <SubscriptionTable subscriptions={all} />)}
        </Loaded>
      </Card>
      <Card title="Usage by model">
        <SavingsBreakdownTable address={search} />
      </Card>
    </Page>
  );
}

/** Main figures of the period. */
function SavingsFigures({ savings }: { readonly savings: SavingsShape }): ReactNode {
  const { retailCost, subscriptionCost, fullPeriodCost, netSavings, status, inProgress, uncovered } = savings;
  const leftOut = unpricedText(savings);
  return (
    <div className="cards">
      <Figure
        name="Usage at pay-as-you-go prices"
        value={<Money usd={retailCost} />}
        note={leftOut === null ? callsText(savings.calls) : `${leftOut}, not included`}
      />
      <Figure
        name="Cost of plans"
        value={<Money usd={subscriptionCost} />}
        note={
          inProgress ? (
            <>
              so far; <Money usd={fullPeriodCost} /> for the whole period
            </>
          ) : (
            'For the active days'
          )
        }
      />
      <Figure name="Saved" value={<Money usd={netSavings} />} note={STATUS_WORDS[status]} />
      <Figure name="Not covered" value={<Money usd={uncovered.cost} />} note="Local usage, pay-as-you-go" />
    </div>
  );
}

interface PeriodPickerProps {
  readonly savings: SavingsShape;
  readonly address: SavingsAddress;
  readonly onChange: (changes: { period?: string; date?: string | undefined }) => void;
}

/** Selects a day, week or month, and moves to the previous or next one. */
function PeriodPicker({ savings, address, onChange }: PeriodPickerProps): ReactNode {
  const { start, end, timeZone, inProgress } = savings;
  const first = localDay(Date.parse(start), timeZone);
  const last = localDay(Date.parse(end) - 1, timeZone);
  return (
    <div className="row">
      <SegmentedControl
        aria-label="Period length"
        value={address.period}
        onChange={(period) => onChange({ period })}
        data={Object.entries(PERIOD_NAMES).map(([value, label]) => ({ value, label }))}
      />
      <Button variant="default" onClick={() => onChange({ date: addDays(first, -1) })}>
        {' '}
        Previous{' '}
      </Button>
      <strong className="figure">
        {first === last ? formatDate(first, 'UTC') : `${formatDate(first, 'UTC')} to ${formatDate(last, 'UTC')}`}
      </strong>
      <Button variant="default" disabled={inProgress} onClick={() => onChange({ date: addDays(last, 1) })}>
        {' '}
        Next{' '}
      </Button>
      {inProgress && <span className="soft">To date, days in {timeZone}</span>}
    </div>
  );
}
