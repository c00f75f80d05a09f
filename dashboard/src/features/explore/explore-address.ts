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
  /** Compare to the previous period. */
  readonly compare: boolean;
}

/** Reads the search parameters of the page. */
export function readExploreAddress(search: SearchParameters): ExploreAddress {
  return {
    filter: readUsageFilter(search),
    dimension: readDimension(readText(search, 'by')),
    measure: findChoice(MEASURES, readText(search, 'show')) ?? 'cost',
    compare: readText(search, 'compare') === 'before',
  };
}
