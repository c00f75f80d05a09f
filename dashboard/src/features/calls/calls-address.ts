import {
  findChoice,
  readUsageFilter,
  type SearchParameters,
  readText,
  type UsageFilter,
} from '../../shared/filter/usage-filter.ts';
import { type CallOutcome, OUTCOME_NAMES } from './outcome-badge.tsx';

const OUTCOMES = Object.keys(OUTCOME_NAMES) as CallOutcome[];

/** Which calls are shown: of one outcome, or those whose cost is in doubt. */
export const CALL_KINDS = [...OUTCOMES, 'uncertain', 'unpriced'] as const;
type CallKind = (typeof CALL_KINDS)[number];

export interface CallsAddress {
  readonly filter: UsageFilter;
  readonly kind: CallKind | undefined;
  /** Any id that people know of a call; it is looked for in all of the book. */
  readonly find: string | undefined;
  /** Where the page begins; undefined = with the newest call. */
  readonly cursor: string | undefined;
  readonly paused: boolean;
}

/** What stands in the address of this page. */
export function readCallsAddress(search: SearchParameters): CallsAddress {
  return {
    filter: readUsageFilter(search),
    kind: findChoice(CALL_KINDS, readText(search, 'only')),
    find: readText(search, 'find'),
    cursor: readText(search, 'cursor'),
    paused: readText(search, 'live') === 'paused',
  };
}

/** As the list of entries takes it. */
export function kindQuery(kind: CallKind | undefined): Readonly<Record<string, string | boolean>> {
  if (kind === undefined) return {};
  return kind === 'uncertain' || kind === 'unpriced' ? { [kind]: true } : { outcome: kind };
}
