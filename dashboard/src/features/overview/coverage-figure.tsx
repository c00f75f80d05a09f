import type { ReactNode } from 'react';
import type { OverviewShape } from '../../../../src/contract/overview.ts';
import { formatUsd } from '../../shared/format/money.ts';
import { formatShare } from '../../shared/format/number.ts';
import { PageLink } from '../../shared/theme/page-link.tsx';
import { Figure } from '../../shared/ui/figure.tsx';
import { useCoverage } from './use-coverage.ts';

interface CoverageFigureProps {
  readonly month: OverviewShape['month'];
  readonly hasAdminKey: boolean;
}

/** How much of the bill the gate sees: what it doesn't see, no limit can hold. */
export function CoverageFigure({ month, hasAdminKey }: CoverageFigureProps): ReactNode {
  const coverage = useCoverage(month.start, hasAdminKey);
  if (!hasAdminKey)
    return (
      <Figure
        name="Coverage"
        value="–"
        note={<PageLink to="/reports">Connect a provider’s reports to see what passes the gate</PageLink>}
      />
    );
  if (!coverage) return <Figure name="Coverage" value="–" note="No whole day was reported this month yet" />;
  return (
    <Figure
      name="Coverage"
      value={formatShare(coverage.passed / coverage.total)}
      note={
        <PageLink to="/reports">
          {formatUsd(coverage.passed)} of {formatUsd(coverage.total)} passed the gate
        </PageLink>
      }
    />
  );
}
