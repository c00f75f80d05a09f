import { Button, Checkbox, Menu, NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { stackLayers, type UsageMeasure } from '../../shared/chart/stack.ts';
import { type AddressChanges, useAddress } from '../../shared/filter/address.ts';
import { FilterBar } from '../../shared/filter/filter-bar.tsx';
import { type UsageFilter, useUsageQuery } from '../../shared/filter/usage-filter.ts';
import { useKeyNames } from '../../shared/names/queries.ts';
import { useStep } from '../../shared/time/period.ts';
import { Card } from '../../shared/ui/card.tsx';
import { Dialog } from '../../shared/ui/dialog.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { ErrorNote } from '../../shared/ui/note.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { DimensionSelect } from '../../shared/usage/dimension-select.tsx';
import { useSeries } from '../../shared/usage/queries.ts';
import { UsageChart } from '../../shared/usage/usage-chart.tsx';
import { Breakdown } from './breakdown.tsx';
import { type ExploreAddress, readExploreAddress } from './explore-address.ts';
import { useExport } from './queries.ts';
import { ChartPlaceholder } from '../../shared/ui/placeholders.tsx';

const FORMATS = [
  ['csv', 'CSV (spreadsheets)'],
  ['jsonl', 'JSON Lines (all fields)'],
  ['focus', 'FOCUS 1.2 (finance tools)'],
] as const;

/** Usage filtered, grouped and compared. The address contains the whole view. */
export function ExplorePage(): ReactNode {
  const { search, change } = useAddress(readExploreAddress);
  const { filter, dimension, measure, compare } = search;
  const keyNames = useKeyNames();
  return (
    <Page
      title="Explore"
      lead="Filter, group and compare usage. Share this view: copy the URL."
      actions={<ExportMenu filter={filter} />}
    >
      <FilterBar filter={filter} onChange={change} keyNames={keyNames} />
      <Card
        title="Usage over time"
        aside={
          <>
            <NativeSelect
              aria-label="Measure"
              value={measure}
              onChange={({ currentTarget }) => change({ show: currentTarget.value })}
              data={[...MEASURE_CHOICES]}
            />
            <DimensionSelect dimension={dimension} onChange={(by) => change({ by })} />
            <Checkbox
              label="Compare to previous period"
              checked={compare}
              onChange={({ currentTarget }) => change({ compare: currentTarget.checked ? 'before' : undefined })}
            />
          </>
        }
      >
        <ExploreResult {...search} keyNames={keyNames} onChange={change} />
      </Card>
    </Page>
  );
}

/** Exports the calls of the current filter as a file. */
function ExportMenu({ filter }: { readonly filter: UsageFilter }): ReactNode {
  const query = useUsageQuery(filter);
  const save = useExport();
  return (
    <>
      <Menu position="bottom-end" shadow="md">
        <Menu.Target>
          <Button variant="default" leftSection={<Icon name="download" size={16} />} loading={save.isPending}>
            Export
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {FORMATS.map(([format, name]) => (
            <Menu.Item key={format} onClick={() => save.mutate({ ...query, format })}>
              {name}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {save.error && (
        <Dialog title="Export failed" onClose={save.reset}>
          <ErrorNote error={save.error} />
        </Dialog>
      )}
    </>
  );
}

interface ExploreResultProps extends ExploreAddress {
  readonly keyNames: ReadonlyMap<string, string>;
  readonly onChange: (changes: AddressChanges) => void;
}

function ExploreResult(props: ExploreResultProps): ReactNode {
  const { filter, dimension, measure, compare, keyNames, onChange } = props;
  const step = useStep(filter);
  const series = useSeries({ filter, dimension, step, compare });
  return (
    <Loaded of={series} placeholder={<ChartPlaceholder />}>
      {(answer) => {
        const layers = stackLayers(answer, measure);
        if (layers.length === 0) return <NoUsage />;
        return (
          <div className="stack">
            <UsageChart series={answer} {...{ filter, dimension, measure, keyNames, onChange }} />
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

const MEASURE_CHOICES: readonly { readonly value: UsageMeasure; readonly label: string }[] = [
  { value: 'cost', label: 'Cost' },
  { value: 'calls', label: 'Calls' },
  { value: 'tokens', label: 'Tokens' },
];
