import type { RouteRequest } from '../../../../src/contract/routes.ts';
import { useWorkspace } from '../session/session.ts';
import { useNow } from '../time/clock.ts';
import { choosePeriod, type PeriodChoice, RANGES, readBounds } from '../time/period.ts';

/** Filter of usage. Every field is a search parameter, so a view can be shared. */
export interface UsageFilter extends PeriodChoice {
  readonly provider?: string;
  readonly model?: string;
  readonly key?: string;
  readonly source?: string;
  readonly status?: string;
  /** `key=value` */
  readonly tag?: string;
  readonly session?: string;
  readonly agent?: string;
  readonly run?: string;
  readonly requestClass?: string;
}

export type SearchParameters = Readonly<Record<string, unknown>>;

export const FILTER_FIELDS = [
  'provider',
  'model',
  'key',
  'source',
  'status',
  'tag',
  'session',
  'agent',
  'run',
  'requestClass',
] as const;
export type FilterField = (typeof FILTER_FIELDS)[number];

export const FIELD_NAMES: Readonly<Record<FilterField, string>> = {
  provider: 'Provider',
  model: 'Model',
  key: 'Key',
  source: 'Source',
  status: 'Status',
  tag: 'Tag',
  session: 'Session',
  agent: 'Agent',
  run: 'Run',
  requestClass: 'Request class',
};

/** Returns a search parameter as text; undefined if it is missing or invalid. */
export function readText(search: SearchParameters, field: string): string | undefined {
  const value = search[field];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function findChoice<Choice extends string>(
  choices: readonly Choice[],
  text: string | undefined,
): Choice | undefined {
  return choices.find((choice) => choice === text);
}

export function readUsageFilter(search: SearchParameters): UsageFilter {
  const range = findChoice(RANGES, readText(search, 'range'));
  const [from, to] = [readText(search, 'from'), readText(search, 'to')];
  const fields = FILTER_FIELDS.map((field) => [field, readText(search, field)] as const);
  return {
    ...(range && { range }),
    ...(from && to && readBounds(from, to)),
    ...Object.fromEntries(fields.filter(([, value]) => value !== undefined)),
  };
}

type UsageQuery = NonNullable<RouteRequest<'GET /api/mcp/usage/series' | 'GET /api/mcp/entries'>['query']>;

/** Query parameters of the usage endpoints. */
function toUsageQuery(filter: UsageFilter, now: number, zone: string): UsageQuery {
  const { startDate, endDate } = choosePeriod(filter, now, zone);
  const { provider, model, key, source, status, tag, session, agent, run, requestClass } = filter;
  // The address may name any source: the service refuses unknown ones.
  const sent = { source: source as UsageQuery['source'], status, tag, session, agent, run, requestClass };
  return { startDate, endDate, provider, model, keyId: key, ...sent };
}

/** Returns query parameters of the usage endpoints. They change at the end of a workspace day. */
export function useUsageQuery(filter: UsageFilter): UsageQuery {
  const { timeZone } = useWorkspace();
  const now = useNow();
  return toUsageQuery(filter, now, timeZone);
}
