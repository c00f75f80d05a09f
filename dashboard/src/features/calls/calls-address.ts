import type { RouteRequest } from '../../../../src/contract/routes.ts';
import {
  findChoice,
  readUsageFilter,
  type SearchParameters,
  readText,
  type UsageFilter,
} from '../../shared/filter/usage-filter.ts';
import { type CallOutcome, OUTCOME_NAMES } from './outcome-badge.tsx';

const OUTCOMES = Object.keys(OUTCOME_NAMES) as CallOutcome[];

/** Filters by outcome, or by uncertain or missing cost; `refused` lists calls that limits refused. */
export const CALL_KINDS = [...OUTCOMES, 'refused', 'uncertain', 'unpriced'] as const;
type CallKind = (typeof CALL_KINDS)[number];

export interface CallsAddress {
  readonly filter: UsageFilter;
  readonly kind: CallKind | undefined;
  /** ID to find: of a call, request, response or session. */
  readonly find: string | undefined;
  /** Start of the page; undefined = the newest call. */
  readonly cursor: string | undefined;
  readonly paused: boolean;
}

/** Reads the search parameters of the page. */
export function readCallsAddress(search: SearchParameters): CallsAddress {
  return {
    filter: readUsageFilter(search),
    kind: findChoice(CALL_KINDS, readText(search, 'only')),
    find: readText(search, 'find'),
    cursor: readText(search, 'cursor'),
    paused: readText(search, 'live') === 'paused',
  };
}

type KindQuery = Pick<NonNullable<RouteRequest<'GET /api/mcp/entries'>['query']>, 'uncertain' | 'unpriced' | 'outcome'>;

/** Query parameters of the entries endpoint. */
export function kindQuery(kind: CallKind | undefined): KindQuery {
  // Refused calls are a separate list.
  if (kind === undefined || kind === 'refused') return {};
  if (kind === 'uncertain') return { uncertain: 'true' };
  return kind === 'unpriced' ? { unpriced: 'true' } : { outcome: kind };
}
