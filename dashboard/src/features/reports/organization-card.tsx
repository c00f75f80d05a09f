import type { ReactNode } from 'react';
import { formatDay } from '../../shared/format/time.ts';
import { Count } from '../../shared/theme/count.tsx';
import { Money } from '../../shared/theme/money.tsx';
import { Card } from '../../shared/ui/card.tsx';
import { More } from '../../shared/ui/more.tsx';
import { CoverageFigures } from './coverage-figures.tsx';
import { LineTable } from './line-table.tsx';
import { ReasonList } from './reason-list.tsx';
import { SummaryToBill } from './summary-to-bill.tsx';
import type { ReconciledOrganization, ReasonNames } from './use-reconciliation.ts';

const DAY_MS = 86_400_000;

interface OrganizationCardProps {
  readonly organization: ReconciledOrganization;
  readonly reasonNames: ReasonNames;
}

/** Book and bill of one organization: the sums, why they differ, and the lines. */
export function OrganizationCard({ organization, reasonNames }: OrganizationCardProps): ReactNode {
  const { name, start, end, lines, linesLeft } = organization;
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
        {linesLeft > 0 && (
          <p className="soft">{linesLeft} more lines are counted above. Take fewer days to see them.</p>
        )}
      </More>
    </Card>
  );
}

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
