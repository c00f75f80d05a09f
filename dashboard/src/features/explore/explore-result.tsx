import type { ReactNode } from 'react';
import { stackLayers } from '../../shared/chart/stack.ts';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { useStep } from '../../shared/time/use-step.ts';
import { UsageChart } from '../../shared/usage/usage-chart.tsx';
import { useSeries } from '../../shared/usage/use-series.ts';
import { Breakdown } from './breakdown.tsx';
import type { ExploreAddress } from './explore-address.ts';

export function ExploreResult(props: ExploreAddress & { readonly keyNames: ReadonlyMap<string, string> }): ReactNode {
  const { filter, dimension, measure, compare, keyNames } = props;
  const step = useStep(filter);
  const series = useSeries({ filter, dimension, step });
  return (
    <Loaded of={series} rows={9}>
      {(answer) => {
        const layers = stackLayers(answer, measure);
        if (layers.length === 0) return <NoUsage />;
        return (
          <div className="stack">
            <UsageChart series={answer} filter={filter} dimension={dimension} measure={measure} keyNames={keyNames} />
            <Breakdown filter={filter} dimension={dimension} compare={compare} keyNames={keyNames} />
          </div>
        );
      }}
    </Loaded>
  );
}

function NoUsage(): ReactNode {
  return (
    <EmptyState icon="explore" title="Nothing was used here">
      No call of this period passes these filters. Take a longer period, or remove a filter.
    </EmptyState>
  );
}
