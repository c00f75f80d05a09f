import type { ReactNode } from 'react';
import type { OverviewShape, SpendShape } from '../../../../src/contract/overview.ts';
import { formatUsd } from '../../shared/format/money.ts';
import { callsText, formatChange, formatShare } from '../../shared/format/number.ts';
import { formatDay } from '../../shared/format/time.ts';
import { Figure } from '../../shared/ui/figure.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { Money } from '../../shared/ui/values.tsx';
import { knownCost, unpricedText } from '../../shared/usage/cost-sum.ts';
import { useCoverage } from './queries.ts';

/** The four figures that matter. */
export function Headline({ overview }: { readonly overview: OverviewShape }): ReactNode {
  const { today, yesterday, month, timeZone, setup } = overview;
  return (
    <div className="cards">
      <Figure
        name="Today"
        value={<Money usd={knownCost(today)} />}
        note={
          <>
            {compareToYesterday(today, yesterday.byThisTime)}
            <UncertainAndUnpriced spend={today} range="today" />
          </>
        }
      />
      <Figure
        name={`${new Date(month.start).toLocaleDateString('en', { month: 'long', timeZone })} to date`}
        value={<Money usd={knownCost(month.toDate)} />}
        note={
          <>
            {callsText(month.toDate.calls)}
            <UncertainAndUnpriced spend={month.toDate} range="month" />
          </>
        }
      />
      <ForecastFigure overview={overview} />
      <CoverageFigure month={month} hasAdminKey={setup.adminKeys > 0} />
    </div>
  );
}

interface CoverageFigureProps {
  readonly month: OverviewShape['month'];
  readonly hasAdminKey: boolean;
}

/** How much of the bill the gate sees: what it doesn't see, no limit can hold. */
function CoverageFigure({ month, hasAdminKey }: CoverageFigureProps): ReactNode {
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

function compareToYesterday(today: SpendShape, yesterday: SpendShape): string {
  const [now, before] = [knownCost(today), knownCost(yesterday)];
  const change = now === null || before === null ? null : formatChange(now, before);
  const calls = callsText(today.calls);
  if (change !== null) return `${calls}; ${change} against yesterday until now`;
  const callsBefore = yesterday.calls === 0 ? 'nothing' : callsText(yesterday.calls);
  return `${calls}; ${callsBefore} yesterday until now`;
}

/** What the sum leaves open is never kept quiet. */
function UncertainAndUnpriced({ spend, range }: { readonly spend: SpendShape; readonly range: string }): ReactNode {
  const { uncertainUpTo = 0, unpricedCalls = 0 } = spend;
  const leftOut = unpricedText(spend);
  return (
    <>
      {uncertainUpTo > 0 && (
        <>
          {' · '}
          <PageLink to="/calls" search={{ range, only: 'uncertain' }}>
            up to {formatUsd(uncertainUpTo)} more
          </PageLink>
        </>
      )}
      {leftOut !== null && (
        <>
          {' · '}
          {unpricedCalls > 0 ? (
            <PageLink to="/calls" search={{ range, only: 'unpriced' }}>
              {leftOut}
            </PageLink>
          ) : (
            leftOut
          )}
        </>
      )}
    </>
  );
}

function ForecastFigure({ overview }: { readonly overview: OverviewShape }): ReactNode {
  const { forecast, month, timeZone } = overview;
  const until = formatDay(Date.parse(month.end) - 1, timeZone);
  if (!forecast) return <Figure name="Forecast" value="–" note="A few whole days are needed first" />;
  return (
    <Figure
      name={`Forecast until ${until}`}
      value={<Money usd={forecast.expected} />}
      note={`Likely ${formatUsd(forecast.low)} to ${formatUsd(forecast.high)}, from ${forecast.days} days`}
    />
  );
}
