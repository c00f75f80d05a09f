import { readInstant } from '../domain/time/period.ts';
import { SAVINGS_PERIODS } from '../contract/sync.ts';
import { choice, text } from './parameters.ts';
import { span } from './render.ts';

/** Parameters of both tools on savings. */
export const savingsInput = {
  period: choice(SAVINGS_PERIODS, "A day, a week from Monday or a month of the workspace's time zone").default(
    'monthly',
  ),
  date: text('an ISO 8601 date or time such as 2026-01-31 or 2026-01-31T12:00:00Z')
    .optional()
    .describe('ISO 8601: a day or an instant that the period holds; default: now'),
};

/** Looked at here too, so that a slip of the pen is told whether the service can be reached or not. */
export function checkDate(date: string | undefined): void {
  if (date !== undefined) readInstant(date, 'date');
}

interface SavingsPeriodData {
  readonly period: string;
  readonly start: string;
  readonly end: string;
  readonly timeZone: string;
  readonly inProgress: boolean;
}

export function savingsSpan(period: SavingsPeriodData): string {
  return `${period.period}, ${span(period, period.timeZone)}${period.inProgress ? '; not over, costs are up to now' : ''}`;
}
