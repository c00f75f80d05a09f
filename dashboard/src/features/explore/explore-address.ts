import { MEASURES, type UsageMeasure } from '../../shared/chart/stack.ts';
import {
  findChoice,
  readUsageFilter,
  type SearchParameters,
  readText,
  type UsageFilter,
} from '../../shared/filter/usage-filter.ts';
import { readDimension } from '../../shared/usage/dimensions.ts';

export interface ExploreAddress {
  readonly filter: UsageFilter;
  readonly dimension: string;
  readonly measure: UsageMeasure;
  /** Whether the period before is shown beside. */
  readonly compare: boolean;
}

/** What stands in the address of this page. */
export function readExploreAddress(search: SearchParameters): ExploreAddress {
  return {
    filter: readUsageFilter(search),
    dimension: readDimension(readText(search, 'by')),
    measure: findChoice(MEASURES, readText(search, 'show')) ?? 'cost',
    compare: readText(search, 'compare') === 'before',
  };
}
