import type { SavingsPeriod } from '../../../../src/contract/sync.ts';
import { oneOf, type SearchText, textIn } from '../../shared/filter/usage-filter.ts';
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
export function readSavings(search: SearchText): SavingsAddress {
  const date = textIn(search, 'date');
  return {
    period: oneOf(['daily', 'weekly', 'monthly'], textIn(search, 'period')) ?? 'monthly',
    ...(date !== undefined && isDay(date) && { date }),
  };
}
