import { Checkbox, NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import type { UsageMeasure } from '../../shared/chart/stack.ts';
import { FilterBar } from '../../shared/filter/filter-bar.tsx';
import { useAddress } from '../../shared/filter/use-address.ts';
import { useKeyNames } from '../../shared/names/use-key-names.ts';
import { Card } from '../../shared/ui/card.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { DimensionSelect } from '../../shared/usage/dimension-select.tsx';
import { ExportMenu } from './export-menu.tsx';
import { ExploreResult } from './explore-result.tsx';
import { readExploreAddress } from './explore-address.ts';

const MEASURE_CHOICES: readonly { readonly value: UsageMeasure; readonly label: string }[] = [
  { value: 'cost', label: 'Cost' },
  { value: 'calls', label: 'Calls' },
  { value: 'tokens', label: 'Tokens' },
];

/** Usage from every side: narrowed, told apart, compared, and drilled into. The address is the view. */
export function ExplorePage(): ReactNode {
  const { search, change } = useAddress(readExploreAddress);
  const { filter, dimension, measure, compare } = search;
  const keyNames = useKeyNames();
  return (
    <Page
      title="Explore"
      lead="Where the money goes. Every view has its own address: share it as it is."
      actions={<ExportMenu filter={filter} />}
    >
      <FilterBar filter={filter} onChange={change} keyNames={keyNames} />
      <Card
        title="Usage over time"
        aside={
          <>
            <NativeSelect
              aria-label="Show"
              value={measure}
              onChange={({ currentTarget }) => change({ show: currentTarget.value })}
              data={[...MEASURE_CHOICES]}
            />
            <DimensionSelect dimension={dimension} onChange={(by) => change({ by })} />
            <Checkbox
              label="Period before"
              checked={compare}
              onChange={({ currentTarget }) => change({ compare: currentTarget.checked ? 'before' : undefined })}
            />
          </>
        }
      >
        <ExploreResult {...search} keyNames={keyNames} />
      </Card>
    </Page>
  );
}
