import type { ReactNode } from 'react';
import type { OverviewShape, SpendShape } from '../../../../src/contract/overview.ts';
import { Figure } from '../../shared/ui/figure.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { Money } from '../../shared/ui/values.tsx';
import { knownCost, unpricedText } from '../../shared/usage/cost-sum.ts';
import { useCoverage } from './queries.ts';
import { maximumDollars, shortDollars } from '../../../../src/domain/text/money.ts';
import { callsText } from '../../../../src/domain/text/counts.ts';
import { describeChange, formatPercent } from '../../../../src/domain/text/percent.ts';
import { formatDate } from '../../../../src/domain/text/dates.ts';

/** The four main figures. */
export function Headline({ overview }: { readonly overview: OverviewShape }): ReactNode {
  const { today, yesterday, month, timeZone, setup } = overview;
  return (
    <div className="cards">
      <Figure
        name="Today"
        value={<Money usd={knownCost(today)} />}
        note={
          <>
            <UncertainAndUnpriced spend={today} range="today" />
            {compareToYesterday(today, yesterday.byThisTime)}
          </>
        }
      />
      <Figure
        name={`${new Date(month.start).toLocaleDateString('en', { month: 'long', timeZone })} to date`}
        value={<Money usd={knownCost(month.toDate)} />}
        note={
          <>
            <UncertainAndUnpriced spend={month.toDate} range="month" />
            <OutsideGateway month={month} />
            {callsText(month.toDate.calls)}
          </>
        }
      />
      <ForecastFigure overview={overview} />
      <CoverageFigure month={month} hasAdminKey={setup.adminKeys > 0} />
    </div>
  );
}

/** The part of the cost that limits don't count. */
function OutsideGateway({ month: { toDate, throughGateway } }: Pick<OverviewShape, 'month'>): ReactNode {
  const outside = toDate.cost - throughGateway;
  if (outside < CENT) return null;
  return (
    <>
      <PageLink to="/explore" search={{ range: 'month', by: 'source', notSource: 'proxy' }}>
        {shortDollars(outside)} outside the gateway
      </PageLink>
      {' · '}
    </>
  );
}

const CENT = 0.01;

interface CoverageFigureProps {
  readonly month: OverviewShape['month'];
  readonly hasAdminKey: boolean;
}

/** Share of the bill that went through Tollbook. Limits don't apply to the rest. */
function CoverageFigure({ month, hasAdminKey }: CoverageFigureProps): ReactNode {
  const coverage = useCoverage(month.start, hasAdminKey);
  if (!hasAdminKey)
    return (
      <Figure
        name="Coverage"
        value="–"
        note={<PageLink to="/reports">Connect a provider to see how much goes through Tollbook</PageLink>}
      />
    );
  if (coverage === undefined) return <Figure name="Coverage" value="–" note="Loading…" />;
  if (!coverage) return <Figure name="Coverage" value="–" note="No complete day in this month’s reports yet" />;
  return (
    <Figure
      name="Coverage"
      value={formatPercent(coverage.passed / coverage.total)}
      note={
        <PageLink to="/reports">
          {shortDollars(coverage.passed)} of {shortDollars(coverage.total)} in this month’s reports went through
          Tollbook
        </PageLink>
      }
    />
  );
}

/** Compares spend with yesterday: `12 calls · 37% less than yesterday at this time`. */
function compareToYesterday(today: SpendShape, yesterday: SpendShape): string {
  const [now, before] = [knownCost(today), knownCost(yesterday)];
  const calls = callsText(today.calls);
  if (now === null || before === null) return `${calls} · ${callsText(yesterday.calls)} by this time yesterday`;
  if (before === 0) return `${calls} · no spend by this time yesterday`;
  return `${calls} · ${describeChange(now, before)} yesterday at this time`;
}

/** Links to calls with uncertain cost and calls without a price. */
function UncertainAndUnpriced({ spend, range }: { readonly spend: SpendShape; readonly range: string }): ReactNode {
  const { uncertainUpTo = 0, unpricedCalls = 0 } = spend;
  const leftOut = unpricedText(spend);
  return (
    <>
      {uncertainUpTo > 0 && (
        <>
          <PageLink to="/calls" search={{ range, only: 'uncertain' }}>
            {`up to\u00a0${maximumDollars(uncertainUpTo)} more`}
          </PageLink>
          {' · '}
        </>
      )}
      {leftOut !== null && (
        <>
          {unpricedCalls > 0 ? (
            <PageLink to="/calls" search={{ range, only: 'unpriced' }}>
              {leftOut}
            </PageLink>
          ) : (
            leftOut
          )}
          {' · '}
        </>
      )}
    </>
  );
}

function ForecastFigure({ overview }: { readonly overview: OverviewShape }): ReactNode {
  const { forecast, month, timeZone } = overview;
  const until = formatDate(Date.parse(month.end) - 1, timeZone);
  if (!forecast) return <Figure name="Forecast" value="–" note="Available after a few full days" />;
  return (
    <Figure
      name={`Forecast to ${until}`}
      value={<Money usd={forecast.expected} />}
      note={`All usage. Likely ${shortDollars(forecast.low)} to ${shortDollars(forecast.high)}, based on ${forecast.basedOnDays} days`}
    />
  );
}
