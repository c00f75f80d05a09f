import type { RouteRequest } from '../../../../src/contract/routes.ts';
import { useWorkspace } from '../session/session.ts';
import { splitValues } from './parameter-values.ts';
import { useNow } from '../time/clock.ts';
import { choosePeriod, type PeriodChoice, RANGES, readBounds } from '../time/period.ts';

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

/** Parameter of the values of a field that are left out. */
export type NotField = `not${Capitalize<FilterField>}`;

export function notField(field: FilterField): NotField {
  return `not${field.charAt(0).toUpperCase()}${field.slice(1)}` as NotField;
}

/**
 * Filter of usage. Every field is a search parameter, so a view can be shared. Each has one value or several, as
 * `splitValues` reads them; a tag is `key=value`.
 */
export type UsageFilter = PeriodChoice & Readonly<Partial<Record<FilterField | NotField, string>>>;

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
  const names = [...FILTER_FIELDS, ...FILTER_FIELDS.map(notField)];
  const fields = names.map((name) => [name, readText(search, name)] as const);
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
  const fields = FILTER_FIELDS.flatMap((field) => [
    [sentName(field), oneOrAll(filter[field])],
    [notField(sentName(field) as FilterField), oneOrAll(filter[notField(field)])],
  ]);
  // The address may name any source: the service refuses unknown ones.
  return { startDate, endDate, ...(Object.fromEntries(fields) as Omit<UsageQuery, 'startDate' | 'endDate'>) };
}

/** Returns the service's name of a field. */
function sentName(field: FilterField): string {
  return field === 'key' ? 'keyId' : field;
}

function oneOrAll(text: string | undefined): string | readonly string[] | undefined {
  const values = splitValues(text);
  return values.length > 1 ? values : values[0];
}

/** Returns query parameters of the usage endpoints. They change at the end of a workspace day. */
export function useUsageQuery(filter: UsageFilter): UsageQuery {
  const { timeZone } = useWorkspace();
  const now = useNow();
  return toUsageQuery(filter, now, timeZone);
}
