import { useWorkspace } from '../session/session.ts';
import { useNow } from './clock.ts';
import { addDays, dayStart, isDay, localDay, startOfMonth } from './local-day.ts';
import type { PeriodStep } from '../../../../src/domain/time/period.ts';
import { DAY_MS } from '../../../../src/domain/time/units.ts';

export const RANGES = ['today', '7d', '30d', '90d', 'month', 'last_month', 'year'] as const;
export type NamedRange = (typeof RANGES)[number];

export const RANGE_NAMES: Readonly<Record<NamedRange, string>> = {
  today: 'Today',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  month: 'This month',
  last_month: 'Last month',
  year: 'Last 12 months',
};

/** A named range, or a first and last day (`2026-01-31`), both included, as in search parameters. */
export interface PeriodChoice {
  readonly range?: NamedRange;
  readonly from?: string;
  readonly to?: string;
}

/** A period for the API: ISO instants; the end is exclusive, and absent for a current period. */
interface ChosenPeriod {
  readonly startDate: string;
  readonly endDate?: string;
  readonly days: number;
}

/** Resolves a choice to whole days of the zone, so the same choice gives the same query all day. */
export function choosePeriod(choice: PeriodChoice, now: number, zone: string): ChosenPeriod {
  const today = localDay(now, zone);
  if (choice.from !== undefined && choice.to !== undefined && isDay(choice.from) && isDay(choice.to)) {
    const [from, to] = choice.from <= choice.to ? [choice.from, choice.to] : [choice.to, choice.from];
    return toPeriod(from, addDays(to, 1), zone, today);
  }
  return toPeriod(...rangeDays(choice.range ?? '30d', today), zone, today);
}

function rangeDays(range: NamedRange, today: string): readonly [start: string, end: string] {
  const tomorrow = addDays(today, 1);
  switch (range) {
    case 'today':
      return [today, tomorrow];
    case '7d':
      return [addDays(today, -6), tomorrow];
    case '30d':
      return [addDays(today, -29), tomorrow];
    case '90d':
      return [addDays(today, -89), tomorrow];
    case 'month':
      return [startOfMonth(today), tomorrow];
    case 'last_month':
      return [startOfMonth(addDays(startOfMonth(today), -1)), startOfMonth(today)];
    case 'year':
      return [startOfMonth(addDays(today, -364)), tomorrow];
  }
}

function toPeriod(start: string, end: string, zone: string, today: string): ChosenPeriod {
  const startMs = dayStart(start, zone);
  const endMs = dayStart(end, zone);
  return {
    startDate: new Date(startMs).toISOString(),
    ...(end <= today && { endDate: new Date(endMs).toISOString() }),
    days: Math.round((endMs - startMs) / DAY_MS),
  };
}

/** Returns the previous period of the same length, in whole days. */
export function periodBefore({ startDate, days }: ChosenPeriod, zone: string): ChosenPeriod {
  const first = localDay(Date.parse(startDate), zone);
  return {
    startDate: new Date(dayStart(addDays(first, -days), zone)).toISOString(),
    endDate: startDate,
    days,
  };
}

/** Chooses a step that gives about 20 to 100 bars. */
export function chooseStep(days: number): PeriodStep {
  if (days <= 3) return 'hour';
  if (days <= 100) return 'day';
  return days <= 400 ? 'week' : 'month';
}

/** Returns the step for a chart of the chosen period. */
export function useStep(choice: PeriodChoice): PeriodStep {
  const { timeZone } = useWorkspace();
  const now = useNow();
  return chooseStep(choosePeriod(choice, now, timeZone).days);
}
