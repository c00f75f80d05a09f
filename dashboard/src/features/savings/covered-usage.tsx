import type { ReactNode } from 'react';
import type { SavingsShape } from '../../../../src/contract/sync.ts';
import { shortDollars } from '../../../../src/domain/text/money.ts';
import { useAssistantUsage } from '../../shared/assistants/queries.ts';
import { RunningChart } from '../../shared/chart/running-chart.tsx';
import { sum } from '../../shared/chart/stack.ts';
import { useNow } from '../../shared/time/clock.ts';
import { addDays, dayStarts, localDay } from '../../shared/time/local-day.ts';
import { Card } from '../../shared/ui/card.tsx';
import { Money } from '../../shared/ui/values.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { ChartPlaceholder } from '../../shared/ui/placeholders.tsx';

const SHOWN_FROM_USD = 0.01;

/** Usage that plans cover since the period began, with the cost of the plans as a line: above it, they pay off. */
export function CoveredUsage({ savings }: { readonly savings: SavingsShape }): ReactNode {
  const { start, end, timeZone, fullPeriodCost, retailCost } = savings;
  const now = useNow();
  const starts = dayStarts(savings, timeZone);
  const [first, after] = [localDay(Date.parse(start), timeZone), localDay(Date.parse(end), timeZone)];
  const usage = useAssistantUsage({ from: first, to: addDays(after, -1) }, { covered: 'true', limit: 1 });
  return (
    <Card title="Covered usage">
      <Loaded of={usage} placeholder={<ChartPlaceholder />}>
        {({ series, total }) => {
          const left = retailCost - total.retailCost;
          const byDay = Map.groupBy(series.points, (point) => localDay(Date.parse(point.start), timeZone));
          const begun = starts.filter((at) => Date.parse(at) <= now);
          return (
            <>
              <RunningChart
                name="Covered usage"
                starts={starts}
                end={end}
                step="day"
                zone={timeZone}
                amounts={begun.map((at) =>
                  sum((byDay.get(localDay(Date.parse(at), timeZone)) ?? []).map(({ cost }) => cost)),
                )}
                forecast={null}
                line={{ amount: fullPeriodCost, name: `Plans ${shortDollars(fullPeriodCost)}` }}
                format={shortDollars}
              />
              {left >= SHOWN_FROM_USD && (
                <p className="soft">
                  <Money usd={left} /> of calls that name no session are not in the chart.
                </p>
              )}
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}
