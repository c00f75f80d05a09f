import type { SavingsPeriod } from '../../../../src/contract/sync.ts';
import { findChoice, type SearchParameters, readText } from '../../shared/filter/usage-filter.ts';
import { isDay } from '../../shared/time/local-day.ts';

export const PERIOD_NAMES: Readonly<Record<SavingsPeriod, string>> = {
  daily: 'Day',
  weekly: 'Week',
  monthly: 'Month',
};

export interface SavingsAddress {
  readonly period: SavingsPeriod;
  /** A day within the period; absent = the current period. */
  readonly date?: string;
}

/** Reads the search parameters of the page. */
export function readSavingsAddress(search: SearchParameters): SavingsAddress {
  const date = readText(search, 'date');
  return {
    period: findChoice(['daily', 'weekly', 'monthly'], readText(search, 'period')) ?? 'monthly',
    ...(date !== undefined && isDay(date) && { date }),
  };
}
