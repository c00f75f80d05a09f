import type { ReactNode } from 'react';
import { stackLayers } from '../../shared/chart/stack.ts';
import { type AddressChanges, useAddress } from '../../shared/filter/address.ts';
import { FilterBar } from '../../shared/filter/filter-bar.tsx';
import { useKeyNames } from '../../shared/names/queries.ts';
import { Card } from '../../shared/ui/card.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { useEventMarks } from '../../shared/usage/event-marks.ts';
import { UsageChart } from '../../shared/usage/usage-chart.tsx';
import { Breakdown } from './breakdown.tsx';
import { type ExploreAddress, readExploreAddress } from './explore-address.ts';
import { ExportMenu } from './export-menu.tsx';
import { useExploreSeries } from './queries.ts';
import { SavedViews } from './saved-views.tsx';
import { ViewControls } from './view-controls.tsx';
import { ChartPlaceholder } from '../../shared/ui/placeholders.tsx';

/** Usage filtered, grouped and compared. The address contains the whole view. */
export function ExplorePage(): ReactNode {
  const { search, change } = useAddress(readExploreAddress);
  const { filter } = search;
  const keyNames = useKeyNames();
  return (
    <Page
      title="Explore"
      lead="Filter, group and compare usage. The URL has the whole view."
      actions={
        <>
          <SavedViews />
          <ExportMenu {...search} keyNames={keyNames} />
        </>
      }
    >
      <FilterBar filter={filter} onChange={change} keyNames={keyNames} />
      <Card title="Usage over time" aside={<ViewControls {...search} onChange={change} />}>
        <ExploreResult {...search} keyNames={keyNames} onChange={change} />
      </Card>
    </Page>
  );
}

interface ExploreResultProps extends ExploreAddress {
  readonly keyNames: ReadonlyMap<string, string>;
  readonly onChange: (changes: AddressChanges) => void;
}

function ExploreResult(props: ExploreResultProps): ReactNode {
  const { filter, dimension, measure, compare, top, isRunning, isLog, hasEvents, keyNames, onChange } = props;
  const series = useExploreSeries({ filter, dimension, compare, top });
  const events = useEventMarks();
  return (
    <Loaded of={series} placeholder={<ChartPlaceholder />}>
      {(answer) => {
        const layers = stackLayers(answer, measure);
        if (layers.length === 0) return <NoUsage />;
        return (
          <div className="stack">
            <UsageChart
              series={answer}
              marks={hasEvents ? events : []}
              {...{ filter, dimension, measure, isRunning, isLog, keyNames, onChange }}
            />
            <Breakdown
              {...{ filter, dimension, compare, keyNames, onChange }}
              charted={layers.map(({ value }) => value)}
            />
          </div>
        );
      }}
    </Loaded>
  );
}

function NoUsage(): ReactNode {
  return (
    <EmptyState icon="explore" title="No usage">
      No usage in this period matches the filters. Choose a longer period or remove a filter.
    </EmptyState>
  );
}
