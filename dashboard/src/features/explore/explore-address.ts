import { MEASURES, type UsageMeasure } from '../../shared/chart/stack.ts';
import {
  findChoice,
  readUsageFilter,
  type SearchParameters,
  readText,
  type UsageFilter,
} from '../../shared/filter/usage-filter.ts';
import { DIMENSIONS, pairDimensions, readDimension } from '../../shared/usage/dimensions.ts';

/** Numbers of values that have a color of their own. */
export const TOP_CHOICES = ['3', '5', '7', '8'] as const;
const TOP = '7';

export interface ExploreAddress {
  readonly filter: UsageFilter;
  /** First dimension, and both if there is a second. */
  readonly first: string;
  readonly second: string | undefined;
  readonly dimension: string;
  readonly measure: UsageMeasure;
  /** Compare to the previous period. */
  readonly compare: boolean;
  readonly top: string;
  /** Each bar is the sum of all up to its time. */
  readonly isRunning: boolean;
  readonly isLog: boolean;
  readonly hasEvents: boolean;
}

/** Reads the search parameters of the page. */
export function readExploreAddress(search: SearchParameters): ExploreAddress {
  const first = readDimension(readText(search, 'by'));
  const asked = findChoice(DIMENSIONS, readText(search, 'and'));
  const second = asked === first ? undefined : asked;
  return {
    filter: readUsageFilter(search),
    first,
    second,
    dimension: pairDimensions(first, second),
    measure: findChoice(MEASURES, readText(search, 'show')) ?? 'cost',
    compare: readText(search, 'compare') === 'before',
    top: findChoice(TOP_CHOICES, readText(search, 'top')) ?? TOP,
    isRunning: readText(search, 'total') === 'running',
    isLog: readText(search, 'scale') === 'log',
    hasEvents: readText(search, 'events') !== 'off',
  };
}
