import type { ReactNode } from 'react';
import { formatShare } from '../../shared/format/number.ts';
import { formatDay } from '../../shared/format/time.ts';
import { Money } from '../../shared/theme/money.tsx';
import { Figure } from '../../shared/ui/figure.tsx';
import type { ReconciledOrganization } from './use-reconciliation.ts';

/** The sums, coverage first. */
export function CoverageFigures({ organization }: { readonly organization: ReconciledOrganization }): ReactNode {
  const { coverage, bookCost, billedCost, listCost } = organization;
  const { share, passed, total, unclear, until, listed } = coverage;
  return (
    <div className="cards">
      <Figure
        name="Passes the gate"
        value={share === null ? '–' : formatShare(share)}
        note={
          share === null ? (
            'No day is closed yet'
          ) : (
            <>
              <Money usd={passed} /> of <Money usd={total} />
              {unclear !== 0 && (
                <>
                  ; of <Money usd={unclear} /> nobody can say
                </>
              )}
              , as charged{until !== null && ` before ${formatDay(until, 'UTC')}`}
              {listed.share !== null && `; at list price ${formatShare(listed.share)}`}
            </>
          )
        }
      />
      <Figure name="In the book" value={<Money usd={bookCost} />} note="what passed the gate, as booked" />
      <Figure
        name="On the bill"
        value={billedCost === null ? '–' : <Money usd={billedCost} />}
        note={billedCost === null ? 'the provider tells no costs here' : 'the provider’s own figure'}
      />
      <Figure name="At list price" value={<Money usd={listCost} />} note="what the reported use comes to" />
    </div>
  );
}
