import type { ReactNode } from 'react';
import type { SavingsShape } from '../../../../src/contract/sync.ts';
import { callsText } from '../../shared/format/number.ts';
import { Money } from '../../shared/theme/money.tsx';
import { Figure } from '../../shared/ui/figure.tsx';
import { unpricedText } from '../../shared/usage/left-out.ts';

const STATUS_WORDS: Readonly<Record<SavingsShape['status'], string>> = {
  Saving: 'The plans are worth it',
  'Below Breakeven': 'Paying by use would be cheaper so far',
  'No Usage': 'Nothing was used',
};

/** The period in four figures. */
export function SavingsFigures({ savings }: { readonly savings: SavingsShape }): ReactNode {
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
