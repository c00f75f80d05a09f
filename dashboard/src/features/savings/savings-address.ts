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
  /** A day that the period holds; absent = the one that goes on. */
  readonly date?: string;
}

/** What stands in the address of this page. */
export function readSavingsAddress(search: SearchParameters): SavingsAddress {
  const date = readText(search, 'date');
  return {
    period: findChoice(['daily', 'weekly', 'monthly'], readText(search, 'period')) ?? 'monthly',
    ...(date !== undefined && isDay(date) && { date }),
  };
}
