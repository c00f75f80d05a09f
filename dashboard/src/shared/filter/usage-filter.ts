import type { RequestQuery } from '../api/request.ts';
import { useWorkspace } from '../session/session.ts';
import { useNow } from '../time/clock.ts';
import { isDay } from '../time/local-day.ts';
import { choosePeriod, type PeriodChoice, RANGES } from '../time/period.ts';

/** What usage is narrowed to. Every field stands in the address, so that a view can be shared. */
export interface UsageFilter extends PeriodChoice {
  readonly provider?: string;
  readonly model?: string;
  readonly key?: string;
  readonly source?: string;
  readonly status?: string;
  /** `key=value` */
  readonly tag?: string;
}

export type SearchParameters = Readonly<Record<string, unknown>>;

export const FILTER_FIELDS = ['provider', 'model', 'key', 'source', 'status', 'tag'] as const;
export type FilterField = (typeof FILTER_FIELDS)[number];

export const FIELD_NAMES: Readonly<Record<FilterField, string>> = {
  provider: 'Provider',
  model: 'Model',
  key: 'Key',
  source: 'Source',
  status: 'Status',
  tag: 'Tag',
};

/** A text of the address, or undefined: anybody may write addresses, so that what cannot be is left out. */
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
    // Whoever gives the last day first means the same days.
    ...(from && to && isDay(from) && isDay(to) && (from <= to ? { from, to } : { from: to, to: from })),
    ...Object.fromEntries(fields.filter(([, value]) => value !== undefined)),
  };
}

/** The filter as the usage endpoints take it. */
function toUsageQuery(filter: UsageFilter, now: number, zone: string): RequestQuery {
  const { startDate, endDate } = choosePeriod(filter, now, zone);
  const { provider, model, key, source, status, tag } = filter;
  return { startDate, endDate, provider, model, keyId: key, source, status, tag };
}

const NOW_REFRESH_MS = 60_000;

/** The filter as the usage endpoints take it. It is another one when a day of the workspace is over. */
export function useUsageQuery(filter: UsageFilter): RequestQuery {
  const { timeZone } = useWorkspace();
  const now = useNow(NOW_REFRESH_MS);
  return toUsageQuery(filter, now, timeZone);
}
