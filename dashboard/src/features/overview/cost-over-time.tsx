import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAlertMarks } from '../../shared/alerts/alert-marks.ts';
import { useAddress } from '../../shared/filter/address.ts';
import { PeriodSelect } from '../../shared/filter/period-select.tsx';
import { readUsageFilter, type SearchParameters, readText } from '../../shared/filter/usage-filter.ts';
import { useKeyNames } from '../../shared/names/queries.ts';
import { useStep } from '../../shared/time/period.ts';
import { Card } from '../../shared/ui/card.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { DimensionSelect } from '../../shared/usage/dimension-select.tsx';
import { readDimension } from '../../shared/usage/dimensions.ts';
import { useSeries } from '../../shared/usage/queries.ts';
import { UsageChart } from '../../shared/usage/usage-chart.tsx';
import { ChartPlaceholder } from '../../shared/ui/placeholders.tsx';

/** Cost over time, grouped by one dimension. */
export function CostOverTime(): ReactNode {
  const { filter, dimension, change, series } = useOverTime();
  const keyNames = useKeyNames();
  const marks = useAlertMarks(() => true);
  const navigate = useNavigate();
  return (
    <Card
      title="Cost over time"
      aside={
        <>
          <PeriodSelect choice={filter} onChange={change} />
          <DimensionSelect dimension={dimension} onChange={(by) => change({ by })} />
          <PageLink to="/explore" search={{ ...filter, by: dimension }}>
            {' '}
            Explore{' '}
          </PageLink>
        </>
      }
    >
      <Loaded of={series} placeholder={<ChartPlaceholder />}>
        {(answer) => (
          <UsageChart
            series={answer}
            measure="cost"
            picksTime
            {...{ filter, dimension, keyNames, marks }}
            onChange={(changes) => void navigate({ to: '/explore', search: { ...filter, by: dimension, ...changes } })}
          />
        )}
      </Loaded>
    </Card>
  );
}

function readAddress(search: SearchParameters) {
  const { range, from, to } = readUsageFilter(search);
  const filter = { ...(range && { range }), ...(from && to && { from, to }) };
  return { filter, dimension: readDimension(readText(search, 'by')) };
}

/** Reads the search parameters and the usage that they select. */
export function useOverTime() {
  const { search, change } = useAddress(readAddress);
  const step = useStep(search.filter);
  return { ...search, change, series: useSeries({ ...search, step }) };
}
