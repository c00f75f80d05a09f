import { oneOf, readUsageFilter, type SearchText, textIn, type UsageFilter } from '../../shared/filter/usage-filter.ts';

const DOUBTFUL = ['uncertain', 'unpriced'] as const;
type Doubtful = (typeof DOUBTFUL)[number];

export interface CallsAddress {
  readonly filter: UsageFilter;
  /** Only calls whose cost is in doubt, of this kind. */
  readonly doubtful: Doubtful | undefined;
  /** Where the page begins; undefined = with the newest call. */
  readonly cursor: string | undefined;
  readonly paused: boolean;
}

/** What stands in the address of this page. */
export function readCalls(search: SearchText): CallsAddress {
  return {
    filter: readUsageFilter(search),
    doubtful: oneOf(DOUBTFUL, textIn(search, 'only')),
    cursor: textIn(search, 'cursor'),
    paused: textIn(search, 'live') === 'paused',
  };
}
