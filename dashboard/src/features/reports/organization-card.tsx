import type { ReactNode } from 'react';
import { Card } from '../../shared/ui/card.tsx';
import { countNoun } from '../../../../src/domain/text/counts.ts';
import { Facts } from '../../shared/ui/facts.tsx';
import { Figure } from '../../shared/ui/figure.tsx';
import { More } from '../../shared/ui/more.tsx';
import { Cents, Money } from '../../shared/ui/values.tsx';
import type { PeriodChoice } from '../../shared/time/period.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { BILL_LINE_NAMES } from './bill-lines.tsx';
import { CoverageChart } from './coverage-chart.tsx';
import { LineTable } from './line-table.tsx';
import type { ReasonNames, ReconciledOrganization } from './queries.ts';
import { WaterfallChart } from './waterfall-chart.tsx';
import { ReasonList } from './reason-list.tsx';
import { formatPercent } from '../../../../src/domain/text/percent.ts';
import { formatDate } from '../../../../src/domain/text/dates.ts';
import { DAY_MS } from '../../../../src/domain/time/units.ts';

const STEP_TEXTS = {
  outsideGateway: 'Billed differently, outside the gateway',
  throughGateway: 'Billed differently, through the gateway',
  undetermined: 'Days not final, unknown keys or prices',
  elsewhere: 'Other workspaces or organizations',
} as const;

interface OrganizationCardProps {
  readonly organization: ReconciledOrganization;
  readonly reasonNames: ReasonNames;
  /** The chosen period. */
  readonly choice: PeriodChoice;
}

/** Reconciliation of one organization: totals, reasons for differences, and lines. */
export function OrganizationCard({ organization, reasonNames, choice }: OrganizationCardProps): ReactNode {
  const { id, name, start, end, lines, hiddenLines } = organization;
  if (start === null || end === null)
    return (
      <Card title={name}>
        <p className="soft">No reports for these days yet.</p>
      </Card>
    );
  return (
    <Card title={name} aside={<span className="soft">{daySpanText(start, end)}</span>}>
      <CoverageFigures organization={organization} />
      <CoverageChart organizationId={id} choice={choice} />
      <h3>From ledger to bill</h3>
      <WaterfallChart organization={organization} reasonNames={reasonNames} />
      <ReasonList organization={organization} reasonNames={reasonNames} />
      <SummaryToBill organization={organization} />
      <BillToPayment organization={organization} />
      <Remarks organization={organization} />
      <More title={`Details by day, key and model (${countNoun(lines.length, 'line')})`}>
        <LineTable lines={lines} reasonNames={reasonNames} />
        {hiddenLines > 0 && (
          <p className="soft">
            {countNoun(hiddenLines, 'more line')} in the totals. Choose a shorter period to see them.
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
    <div>
      <h3>From usage to bill</h3>
      <Facts
        of={[
          ['Through the gateway', <Cents key="through" usd={throughGateway} />],
          ['Outside the gateway', <Cents key="outside" usd={outsideGateway} />],
          ['Usage total', <Cents key="total" usd={total} />],
          ...steps.map((name) => [STEP_TEXTS[name], <Cents key={name} usd={toBill[name]} />] as const),
          ['Bill', <Cents key="bill" usd={providerCost} />],
        ]}
      />
    </div>
  );
}

/** Credits and commitments between the bill and the payment. */
function BillToPayment({ organization }: { readonly organization: ReconciledOrganization }): ReactNode {
  const { payment, providerCost } = organization;
  if (payment === null) return null;
  return (
    <div>
      <h3>From bill to payment</h3>
      <Facts
        of={[
          ['Bill', <Cents key="bill" usd={providerCost} />],
          ...payment.lines.map(
            ({ id, kind, name, amount }) =>
              [`${BILL_LINE_NAMES[kind]} ${isolated(name)}`, <Cents key={id} usd={amount} />] as const,
          ),
          ['To pay', <Cents key="due" usd={payment.due} />],
        ]}
      />
    </div>
  );
}

/** Totals of an organization, coverage first. */
function CoverageFigures({ organization }: { readonly organization: ReconciledOrganization }): ReactNode {
  const { coverage, ledgerCost, billedCost, listCost } = organization;
  const { share, throughGateway, total, unknown, until, atListPrice } = coverage;
  const listShare = atListPrice.share === null ? null : formatPercent(atListPrice.share);
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
              <Money usd={throughGateway} /> of <Money usd={total} /> billed
              {until !== null && ` before ${formatDate(until, 'UTC')}`}
              {unknown !== 0 && (
                <>
                  , <Money usd={unknown} /> unclear
                </>
              )}
              {listShare !== null && listShare !== formatPercent(share) && `. At list price: ${listShare}`}
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
          The cost of {countNoun(corrected.calls, 'call')} with a lost response comes from the report:{' '}
          <Money usd={corrected.cost} />. It is in the ledger.
        </p>
      )}
      {unpricedLines > 0 && (
        <p className="soft">{countNoun(unpricedLines, 'line')} without a price. Totals leave out their billed cost.</p>
      )}
      {unmatched.calls > 0 && (
        <p className="soft">
          {countNoun(unmatched.calls, 'more call')} with keys of other organizations: <Money usd={unmatched.cost} />.
        </p>
      )}
    </>
  );
}
