import { MEASURES, type Measure } from '../../shared/chart/stack.ts';
import { oneOf, readUsageFilter, type SearchText, textIn, type UsageFilter } from '../../shared/filter/usage-filter.ts';
import { readDimension } from '../../shared/usage/dimensions.ts';

export interface ExploreAddress {
  readonly filter: UsageFilter;
  readonly dimension: string;
  readonly measure: Measure;
  /** Whether the period before is shown beside. */
  readonly compare: boolean;
}

/** What stands in the address of this page. */
export function readExplore(search: SearchText): ExploreAddress {
  return {
    filter: readUsageFilter(search),
    dimension: readDimension(textIn(search, 'by')),
    measure: oneOf(MEASURES, textIn(search, 'show')) ?? 'cost',
    compare: textIn(search, 'compare') === 'before',
  };
}
