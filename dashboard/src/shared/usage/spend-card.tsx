import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { ChartMark } from '../chart/chart-actions.ts';
import type { UsageFilter } from '../filter/usage-filter.ts';
import { useKeyNames } from '../names/queries.ts';
import { useStep } from '../time/period.ts';
import { Card } from '../ui/card.tsx';
import { PageLink } from '../ui/links.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { ChartPlaceholder } from '../ui/placeholders.tsx';
import { DimensionSelect } from './dimension-select.tsx';
import { useSeries } from './queries.ts';
import { UsageChart } from './usage-chart.tsx';

interface SpendCardProps {
  readonly title: string;
  /** Subject of the page, and the period. */
  readonly filter: UsageFilter;
  /** First grouping. */
  readonly dimension: string;
  readonly marks?: readonly ChartMark[];
}

/** Cost over time of what a page is about. A click or a drag continues in Explore. */
export function SpendCard({ title, filter, dimension: first, marks }: SpendCardProps): ReactNode {
  const [dimension, setDimension] = useState(first);
  const series = useSeries({ filter, dimension, step: useStep(filter) });
  const keyNames = useKeyNames();
  const navigate = useNavigate();
  const explored = { ...filter, by: dimension };
  return (
    <Card
      title={title}
      aside={
        <>
          <DimensionSelect dimension={dimension} onChange={setDimension} />
          <PageLink to="/explore" search={explored}>
            {' '}
            Explore{' '}
          </PageLink>
        </>
      }
    >
      <Loaded of={series} placeholder={<ChartPlaceholder />}>
        {(shown) => (
          <UsageChart
            series={shown}
            measure="cost"
            picksTime
            {...{ filter, dimension, keyNames }}
            {...(marks && { marks })}
            onChange={(changes) => void navigate({ to: '/explore', search: { ...explored, ...changes } })}
          />
        )}
      </Loaded>
    </Card>
  );
}
