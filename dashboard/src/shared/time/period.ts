import { useWorkspace } from '../session/session.ts';
import { useNow } from './clock.ts';
import { addDays, dayStart, isDay, localDay, startOfMonth } from './local-day.ts';
import type { PeriodStep } from '../../../../src/domain/time/period.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../src/domain/time/units.ts';

export const RANGES = [
  'today',
  'yesterday',
  '7d',
  '30d',
  '90d',
  'week',
  'last_week',
  'month',
  'last_month',
  'year',
] as const;
export type NamedRange = (typeof RANGES)[number];

export const RANGE_NAMES: Readonly<Record<NamedRange, string>> = {
  today: 'Today',
  yesterday: 'Yesterday',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  week: 'This week',
  last_week: 'Last week',
  month: 'This month',
  last_month: 'Last month',
  year: 'Last 12 months',
};

/**
 * A named range; a first and last day (`2026-01-31`), both included; or two UTC minutes (`2026-01-31T14:00Z`), the last
 * excluded. As in search parameters.
 */
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
  if (choice.from !== undefined && choice.to !== undefined && isMinute(choice.from) && isMinute(choice.to))
    return minutesPeriod(choice.from, choice.to, now);
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
    case 'yesterday':
      return [addDays(today, -1), today];
    case '7d':
      return [addDays(today, -6), tomorrow];
    case '30d':
      return [addDays(today, -29), tomorrow];
    case '90d':
      return [addDays(today, -89), tomorrow];
    case 'week':
      return [addDays(today, -daysSinceMonday(today)), tomorrow];
    case 'last_week':
      return [addDays(today, -DAYS_OF_WEEK - daysSinceMonday(today)), addDays(today, -daysSinceMonday(today))];
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

/** Orders two bounds of the same kind. null = not two days or two minutes. */
export function readBounds(from: string, to: string): { readonly from: string; readonly to: string } | null {
  const isPair = (isDay(from) && isDay(to)) || (isMinute(from) && isMinute(to) && from !== to);
  if (!isPair) return null;
  return from <= to ? { from, to } : { from: to, to: from };
}

/** Returns true for a UTC minute: `2026-01-31T14:00Z`. */
export function isMinute(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}Z$/.test(text) && !Number.isNaN(Date.parse(text));
}

/** Writes the UTC minute of an instant. */
function writeMinute(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 16)}Z`;
}

function minutesPeriod(from: string, to: string, now: number): ChosenPeriod {
  const [start, end] = [Date.parse(from), Date.parse(to)];
  return {
    startDate: new Date(start).toISOString(),
    ...(end <= now && { endDate: new Date(end).toISOString() }),
    days: (end - start) / DAY_MS,
  };
}

/** Returns the choice of a part of a chart: whole days as days, anything else as minutes. */
export function choiceBetween(
  start: string,
  until: string,
  zone: string,
): { readonly from: string; readonly to: string } {
  const [first, end] = [Date.parse(start), Date.parse(until)];
  const [from, to] = [localDay(first, zone), localDay(end - 1, zone)];
  const isWholeDays = dayStart(from, zone) === first && dayStart(addDays(to, 1), zone) === end;
  return isWholeDays ? { from, to } : { from: writeMinute(first), to: writeMinute(end) };
}

/** Steps of a fixed length. */
const STEP_MS: Partial<Record<PeriodStep, number>> = {
  minute: MINUTE_MS,
  ten_minutes: 10 * MINUTE_MS,
  hour: HOUR_MS,
};

/** Returns the end of the current step of a chart, which is later than now. ISO 8601. */
export function stepEnd(start: string, step: PeriodStep, zone: string): string {
  const instant = Date.parse(start);
  const length = STEP_MS[step];
  if (length !== undefined) return new Date((Math.floor(instant / length) + 1) * length).toISOString();
  const day = localDay(instant, zone);
  const next =
    step === 'month'
      ? startOfMonth(addDays(startOfMonth(day), DAYS_OF_MONTH_MAX))
      : addDays(day, step === 'week' ? daysOfWeekLeft(day) : 1);
  return new Date(dayStart(next, zone)).toISOString();
}

const DAYS_OF_MONTH_MAX = 31;
const DAYS_OF_WEEK = 7;

function daysSinceMonday(day: string): number {
  return (new Date(`${day}T00:00:00Z`).getUTCDay() + DAYS_OF_WEEK - 1) % DAYS_OF_WEEK;
}

/** Days of the week from this day on; weeks begin on Monday. */
function daysOfWeekLeft(day: string): number {
  return DAYS_OF_WEEK - daysSinceMonday(day);
}

/** The previous period of a current one ends this often at a later time. */
const PREVIOUS_STEP_MS = 5 * MINUTE_MS;

/**
 * Returns the previous period of the same length. From a week on it begins whole weeks earlier, so that weekdays are
 * compared with weekdays. That of a current period ends where the current one is now, so that half a day is compared
 * with half a day.
 */
export function periodBefore({ startDate, endDate, days }: ChosenPeriod, zone: string, now: number): ChosenPeriod {
  const start = Date.parse(startDate);
  const first = localDay(start, zone);
  const isWholeDays = Number.isInteger(days) && dayStart(first, zone) === start;
  const firstBefore = addDays(first, isWholeDays ? -wholeWeeks(days) : 0);
  const startBefore = isWholeDays ? dayStart(firstBefore, zone) : start - days * DAY_MS;
  const endBefore = isWholeDays ? dayStart(addDays(firstBefore, days), zone) : start;
  const passed = Math.floor((now - start) / PREVIOUS_STEP_MS) * PREVIOUS_STEP_MS;
  const end = endDate === undefined ? Math.max(startBefore, Math.min(endBefore, startBefore + passed)) : endBefore;
  return { startDate: new Date(startBefore).toISOString(), endDate: new Date(end).toISOString(), days };
}

/** Rounds a number of days up to whole weeks, from a week on. */
function wholeWeeks(days: number): number {
  return days < DAYS_OF_WEEK ? days : Math.ceil(days / DAYS_OF_WEEK) * DAYS_OF_WEEK;
}

/** Lengths of periods up to which a step gives a readable number of bars, in days. */
const MINUTES_MAX = 1 / 12;
const TEN_MINUTES_MAX = 3 / 4;

/** Chooses a step that gives about 20 to 120 bars. */
export function chooseStep(days: number): PeriodStep {
  if (days <= MINUTES_MAX) return 'minute';
  if (days <= TEN_MINUTES_MAX) return 'ten_minutes';
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
