import type { RouteRequest } from '../../../../src/contract/routes.ts';
import {
  findChoice,
  readUsageFilter,
  type SearchParameters,
  readText,
  type UsageFilter,
} from '../../shared/filter/usage-filter.ts';
import { CALL_COLUMNS, type CallColumn, USUAL_COLUMNS } from './call-columns.tsx';
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
  /** The call in the side panel. */
  readonly open: string | undefined;
  readonly columns: readonly CallColumn[];
}

/** Reads the search parameters of the page. */
export function readCallsAddress(search: SearchParameters): CallsAddress {
  return {
    filter: readUsageFilter(search),
    kind: findChoice(CALL_KINDS, readText(search, 'only')),
    find: readText(search, 'find'),
    cursor: readText(search, 'cursor'),
    paused: readText(search, 'live') === 'paused',
    open: readText(search, 'call'),
    columns: readColumns(readText(search, 'columns') ?? localStorage.getItem(COLUMNS_KEPT)),
  };
}

/** Name of the chosen columns in the storage of the browser. */
const COLUMNS_KEPT = 'tollbook-call-columns';
/** Says that no column is chosen, which an empty text in the address could not. */
const NO_COLUMNS = 'none';

function readColumns(text: string | null): readonly CallColumn[] {
  if (text === null) return USUAL_COLUMNS;
  const words = text.split(',');
  return CALL_COLUMNS.filter((column) => words.includes(column));
}

/** Keeps the chosen columns for the next visit. Returns them as a search parameter. */
export function keepColumns(columns: readonly CallColumn[]): string {
  const text = columns.join(',') || NO_COLUMNS;
  localStorage.setItem(COLUMNS_KEPT, text);
  return text;
}

type KindQuery = Pick<NonNullable<RouteRequest<'GET /api/mcp/entries'>['query']>, 'uncertain' | 'unpriced' | 'outcome'>;

/** Query parameters of the entries endpoint. */
export function kindQuery(kind: CallKind | undefined): KindQuery {
  // Refused calls are a separate list.
  if (kind === undefined || kind === 'refused') return {};
  if (kind === 'uncertain') return { uncertain: 'true' };
  return kind === 'unpriced' ? { unpriced: 'true' } : { outcome: kind };
}
