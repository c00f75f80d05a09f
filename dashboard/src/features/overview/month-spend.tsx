import type { ReactNode } from 'react';
import type { LimitStanding } from '../../../../src/contract/limits.ts';
import type { OverviewShape } from '../../../../src/contract/overview.ts';
import type { UsageSeries } from '../../../../src/contract/usage.ts';
import { shortDollars } from '../../../../src/domain/text/money.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { useAlertMarks } from '../../shared/alerts/alert-marks.ts';
import { RunningChart } from '../../shared/chart/running-chart.tsx';
import { sum } from '../../shared/chart/stack.ts';
import { isMonthlyBudget } from '../../shared/limits/limit-text.ts';
import { useLimits } from '../../shared/limits/use-limits.ts';
import { useNow } from '../../shared/time/clock.ts';
import { dayStarts } from '../../shared/time/local-day.ts';
import { Card } from '../../shared/ui/card.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { ChartPlaceholder } from '../../shared/ui/placeholders.tsx';
import { Money } from '../../shared/ui/values.tsx';
import styles from './overview.module.css';
import { useMonthByDay } from './queries.ts';

/** Spend of the month so far, with its forecast and the budget of the workspace. */
export function MonthSpend({ overview }: { readonly overview: OverviewShape }): ReactNode {
  const series = useMonthByDay();
  const { data } = useLimits();
  const budget = monthlyBudget(data?.limits ?? []);
  return (
    <Card
      title="This month"
      aside={
        budget ? (
          <PageLink to={`/limits/${budget.id}`}>{budgetName(budget)}</PageLink>
        ) : (
          <NoBudget isLoaded={data !== undefined} />
        )
      }
    >
      <Loaded of={series} placeholder={<ChartPlaceholder />}>
        {(shown) => <MonthChart overview={overview} series={shown} budget={budget} />}
      </Loaded>
      {budget && !budget.countsObserved && overview.month.throughGateway < overview.month.toDate.cost && (
        <p className={styles.small}>
          {budgetName(budget)} has counted <Money usd={budget.counted} />: only calls through the gateway, uncertain
          ones with their maximum.
        </p>
      )}
    </Card>
  );
}

function budgetName({ label }: LimitStanding): string {
  return isolated(label ?? 'Monthly limit');
}

function NoBudget({ isLoaded }: { readonly isLoaded: boolean }): ReactNode {
  return isLoaded && <span className="soft">No monthly limit for all calls</span>;
}

/** Returns the smallest monthly limit in dollars for all calls. */
function monthlyBudget(limits: readonly LimitStanding[]): LimitStanding | undefined {
  return limits.filter(isMonthlyBudget).toSorted((a, b) => a.effectiveAmount - b.effectiveAmount)[0];
}

interface MonthChartProps {
  readonly overview: OverviewShape;
  readonly series: UsageSeries;
  readonly budget: LimitStanding | undefined;
}

function MonthChart({ overview: { month, forecast, timeZone }, series, budget }: MonthChartProps): ReactNode {
  const now = useNow();
  const starts = dayStarts(month, timeZone);
  const byStart = Map.groupBy(series.points, ({ start }) => start);
  const alerts = useAlertMarks(({ type }) => type === 'COST_SPIKE' || type === 'BUDGET_EXCEEDED');
  return (
    <RunningChart
      name="Spend this month"
      starts={starts}
      end={month.end}
      step="day"
      zone={timeZone}
      amounts={starts
        .filter((start) => Date.parse(start) <= now)
        .map((start) => sum((byStart.get(start) ?? []).map(({ cost }) => cost)))}
      forecast={forecast && { low: forecast.low, middle: forecast.expected, high: forecast.high }}
      line={
        budget && {
          amount: budget.effectiveAmount,
          name: `${budgetName(budget)} ${shortDollars(budget.effectiveAmount)}`,
        }
      }
      marks={alerts}
      format={shortDollars}
    />
  );
}
