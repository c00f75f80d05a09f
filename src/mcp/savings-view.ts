import { readInstant } from '../domain/time/period.ts';
import { SAVINGS_PERIODS } from '../contract/sync.ts';
import { choice, text } from './parameters.ts';
import { span } from './render.ts';

/** Parameters of both tools on savings. */
export const savingsInput = {
  period: choice(SAVINGS_PERIODS, "A day, week (from Monday) or month in the workspace's time zone").default('monthly'),
  date: text('an ISO 8601 date or time such as 2026-01-31 or 2026-01-31T12:00:00Z')
    .optional()
    .describe('ISO 8601 day or time within the period (default: now)'),
};

/** Checks a date before the request, so that a typo is reported even if the service is unreachable. */
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
  return `${period.period}, ${span(period, period.timeZone)}${period.inProgress ? '; in progress, costs until now' : ''}`;
}
