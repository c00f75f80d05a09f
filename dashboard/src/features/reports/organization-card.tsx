import type { ReactNode } from 'react';
import { formatShare } from '../../shared/format/number.ts';
import { formatDay } from '../../shared/format/time.ts';
import { Card } from '../../shared/ui/card.tsx';
import { Figure } from '../../shared/ui/figure.tsx';
import { More } from '../../shared/ui/more.tsx';
import { Count, Money } from '../../shared/ui/values.tsx';
import { LineTable } from './line-table.tsx';
import type { ReasonNames, ReconciledOrganization } from './queries.ts';
import { ReasonList } from './reason-list.tsx';

const STEP_TEXTS = {
  beside: 'for use beside the gate, as charged',
  gate: 'for calls through the gate, by the reasons above',
  open: 'of days that still change, and keys or prices not told',
  elsewhere: 'of calls of other workspaces or organizations',
} as const;

interface OrganizationCardProps {
  readonly organization: ReconciledOrganization;
  readonly reasonNames: ReasonNames;
}

/** Book and bill of one organization: the sums, why they differ, and the lines. */
export function OrganizationCard({ organization, reasonNames }: OrganizationCardProps): ReactNode {
  const { name, start, end, lines, hiddenLines } = organization;
  if (start === null || end === null)
    return (
      <Card title={name}>
        <p className="soft">None of these days was read yet.</p>
      </Card>
    );
  return (
    <Card title={name} aside={<span className="soft">{daySpanText(start, end)}</span>}>
      <CoverageFigures organization={organization} />
      <ReasonList organization={organization} reasonNames={reasonNames} />
      <SummaryToBill organization={organization} />
      <Remarks organization={organization} />
      <More title={`Day by day, key by key (${lines.length})`}>
        <LineTable lines={lines} reasonNames={reasonNames} />
        {hiddenLines > 0 && (
          <p className="soft">{hiddenLines} more lines are counted above. Take fewer days to see them.</p>
        )}
      </More>
    </Card>
  );
}

/** From the figure of the overview to what the provider charges. */
function SummaryToBill({ organization }: { readonly organization: ReconciledOrganization }): ReactNode {
  const { summary, provider, providerCost } = organization;
  if (summary === null)
    return (
      <p className="soft">
        The usage summary has all organizations of {provider} in one figure, which leads to none of their bills alone.
      </p>
    );
  const { gate, beside, total, toBill } = summary;
  const steps = (['beside', 'gate', 'open', 'elsewhere'] as const).filter((name) => toBill[name] !== 0);
  return (
    <div className="soft">
      <p>
        The usage summary has <Money usd={total} /> of these days: <Money usd={gate} /> through the gate and{' '}
        <Money usd={beside} /> beside it, at list price or your own. The provider charges{' '}
        {steps.length === 0 ? (
          'the same.'
        ) : (
          <>
            <Money usd={providerCost} />. What is between:
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

/** The sums, coverage first. */
function CoverageFigures({ organization }: { readonly organization: ReconciledOrganization }): ReactNode {
  const { coverage, ledgerCost, billedCost, listCost } = organization;
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
      <Figure name="In the book" value={<Money usd={ledgerCost} />} note="what passed the gate, as booked" />
      <Figure
        name="On the bill"
        value={billedCost === null ? '–' : <Money usd={billedCost} />}
        note={billedCost === null ? 'the provider tells no costs here' : 'the provider’s own figure'}
      />
      <Figure name="At list price" value={<Money usd={listCost} />} note="what the reported use comes to" />
    </div>
  );
}

const DAY_MS = 86_400_000;

/** The first day and the last: `end` is the one after. */
function daySpanText(start: string, end: string): string {
  const last = new Date(Date.parse(end) - DAY_MS).toISOString().slice(0, 10);
  return last > start ? `${formatDay(start, 'UTC')} to ${formatDay(last, 'UTC')}` : formatDay(start, 'UTC');
}

/** What a reader would stumble over without being told. */
function Remarks({
  organization: { corrected, unpricedLines, apart },
}: {
  organization: ReconciledOrganization;
}): ReactNode {
  return (
    <>
      {corrected.calls > 0 && (
        <p className="soft">
          Reports told what <Count of={corrected.calls} /> calls without an answer cost: <Money usd={corrected.cost} />,
          in the book now.
        </p>
      )}
      {unpricedLines > 0 && (
        <p className="soft">{unpricedLines} lines have no price: what the provider charges for them is in no sum.</p>
      )}
      {apart.calls > 0 && (
        <p className="soft">
          <Count of={apart.calls} /> more calls went through keys that are not of this organization:{' '}
          <Money usd={apart.cost} />.
        </p>
      )}
    </>
  );
}
