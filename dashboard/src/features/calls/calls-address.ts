import { oneOf, readUsageFilter, type SearchText, textIn, type UsageFilter } from '../../shared/filter/usage-filter.ts';
import { OUTCOME_NAMES, type Outcome } from './outcome-names.ts';

const OUTCOMES = Object.keys(OUTCOME_NAMES) as Outcome[];

/** Which calls are shown: of one outcome, or those whose cost is in doubt. */
export const KINDS = [...OUTCOMES, 'uncertain', 'unpriced'] as const;
export type Kind = (typeof KINDS)[number];

export interface CallsAddress {
  readonly filter: UsageFilter;
  readonly kind: Kind | undefined;
  /** Any id that people know of a call; it is looked for in all of the book. */
  readonly find: string | undefined;
  /** Where the page begins; undefined = with the newest call. */
  readonly cursor: string | undefined;
  readonly paused: boolean;
}

/** What stands in the address of this page. */
export function readCalls(search: SearchText): CallsAddress {
  return {
    filter: readUsageFilter(search),
    kind: oneOf(KINDS, textIn(search, 'only')),
    find: textIn(search, 'find'),
    cursor: textIn(search, 'cursor'),
    paused: textIn(search, 'live') === 'paused',
  };
}

/** As the list of entries takes it. */
export function kindQuery(kind: Kind | undefined): Readonly<Record<string, string | boolean>> {
  if (kind === undefined) return {};
  return kind === 'uncertain' || kind === 'unpriced' ? { [kind]: true } : { outcome: kind };
}
