import type { ReactNode } from 'react';
import { Card } from '../../shared/ui/card.tsx';
import { Figure } from '../../shared/ui/figure.tsx';
import { More } from '../../shared/ui/more.tsx';
import { Count, Money } from '../../shared/ui/values.tsx';
import { LineTable } from './line-table.tsx';
import type { ReasonNames, ReconciledOrganization } from './queries.ts';
import { ReasonList } from './reason-list.tsx';
import { formatPercent } from '../../../../src/domain/text/percent.ts';
import { formatDate } from '../../../../src/domain/text/dates.ts';

const STEP_TEXTS = {
  outsideGateway: 'difference between list price and billed cost of usage outside the gateway',
  throughGateway: 'difference of calls through the gateway, for the reasons above',
  undetermined: 'days that are not final, and unknown keys or prices',
  elsewhere: 'calls of other workspaces or organizations',
} as const;

interface OrganizationCardProps {
  readonly organization: ReconciledOrganization;
  readonly reasonNames: ReasonNames;
}

/** Reconciliation of one organization: totals, reasons for differences, and lines. */
export function OrganizationCard({ organization, reasonNames }: OrganizationCardProps): ReactNode {
  const { name, start, end, lines, hiddenLines } = organization;
  if (start === null || end === null)
    return (
      <Card title={name}>
        <p className="soft">No reports for these days yet.</p>
      </Card>
    );
  return (
    <Card title={name} aside={<span className="soft">{daySpanText(start, end)}</span>}>
      <CoverageFigures organization={organization} />
      <ReasonList organization={organization} reasonNames={reasonNames} />
      <SummaryToBill organization={organization} />
      <Remarks organization={organization} />
      <More title={`Lines by day, key and model (${lines.length})`}>
        <LineTable lines={lines} reasonNames={reasonNames} />
        {hiddenLines > 0 && (
          <p className="soft">
            {hiddenLines} more lines are included in the totals. Choose a shorter period to see them.
          </p>
        )}
      </More>
    </Card>
  );
}

/** Steps from the usage total on the overview to the billed amount. */
function SummaryToBill({ organization }: { readonly organization: ReconciledOrganization }): ReactNode {
  const { summary, provider, providerCost } = organization;
  if (summary === null)
    return (
      <p className="soft">
        The usage total combines all organizations at {provider}, so it can’t be compared with a single bill.
      </p>
    );
  const { throughGateway, outsideGateway, total, toBill } = summary;
  const steps = (['outsideGateway', 'throughGateway', 'undetermined', 'elsewhere'] as const).filter(
    (name) => toBill[name] !== 0,
  );
  return (
    <div className="soft">
      <p>
        The usage total of these days is <Money usd={total} />: <Money usd={throughGateway} /> through the gateway and{' '}
        <Money usd={outsideGateway} /> outside it, at list or custom prices. The provider billed{' '}
        {steps.length === 0 ? (
          'the same amount.'
        ) : (
          <>
            <Money usd={providerCost} />. The difference:
          </>
        )}
      </p>
      {steps.map((name) => (
        <div key={name}>
          <Money usd={toBill[name]} /> {STEP_TEXTS[name]}
        </div>
      ))}
    </div>
  );
}

/** Totals of an organization, coverage first. */
function CoverageFigures({ organization }: { readonly organization: ReconciledOrganization }): ReactNode {
  const { coverage, ledgerCost, billedCost, listCost } = organization;
  const { share, throughGateway, total, unknown, until, atListPrice } = coverage;
  return (
    <div className="cards">
      <Figure
        name="Through the gateway"
        value={share === null ? '–' : formatPercent(share)}
        note={
          share === null ? (
            'No day is final yet'
          ) : (
            <>
              <Money usd={throughGateway} /> of <Money usd={total} />
              {unknown !== 0 && (
                <>
                  ; <Money usd={unknown} /> unclear
                </>
              )}
              , as billed{until !== null && ` before ${formatDate(until, 'UTC')}`}
              {atListPrice.share !== null && `; at list price ${formatPercent(atListPrice.share)}`}
            </>
          )
        }
      />
      <Figure name="Ledger" value={<Money usd={ledgerCost} />} note="Recorded cost of calls through the gateway" />
      <Figure
        name="Bill"
        value={billedCost === null ? '–' : <Money usd={billedCost} />}
        note={billedCost === null ? 'The provider reports no costs' : 'Reported by the provider'}
      />
      <Figure name="List price" value={<Money usd={listCost} />} note="Reported usage at list price" />
    </div>
  );
}

const DAY_MS = 86_400_000;

/** Formats the first and last day; `end` is exclusive. */
function daySpanText(start: string, end: string): string {
  const last = new Date(Date.parse(end) - DAY_MS).toISOString().slice(0, 10);
  return last > start ? `${formatDate(start, 'UTC')} to ${formatDate(last, 'UTC')}` : formatDate(start, 'UTC');
}

/** Remarks on the totals. */
function Remarks({
  organization: { corrected, unpricedLines, unmatched },
}: {
  organization: ReconciledOrganization;
}): ReactNode {
  return (
    <>
      {corrected.calls > 0 && (
        <p className="soft">
          The report gave the cost of <Count of={corrected.calls} /> calls without a response:{' '}
          <Money usd={corrected.cost} />. The ledger includes it.
        </p>
      )}
      {unpricedLines > 0 && (
        <p className="soft">{unpricedLines} lines have no price, so their billed cost is in no total.</p>
      )}
      {unmatched.calls > 0 && (
        <p className="soft">
          <Count of={unmatched.calls} /> more calls used keys of other organizations: <Money usd={unmatched.cost} />.
        </p>
      )}
    </>
  );
}
