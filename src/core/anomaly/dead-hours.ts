import type { Baseline } from './baseline.ts';
import { type Bench, costBaseline, historyFrom, oncePerDay, relevance, type Subject, usualDay } from './bench.ts';
import type { Finding } from './finding.ts';
import { dayStart, type Grid, instantOf, sumBetween } from './grid.ts';
import { cellOf, type Profile } from './profile.ts';
import { amount, localSpan } from './words.ts';

const WINDOW_HOURS = 6;
const DAYS_LEAST = 14;
/** Part of comparable hours that may have had something. */
const DEAD_PART = 0.04;
/** A series is told dead hours only if it has lively ones. */
const LIVELY_PART = 0.5;
const LIVELY_CELLS = 3;
/** Days of the history that may have spent a comparable amount in dead hours. */
const DAYS_MAX = 1;
const COMPARABLE_PART = 1 / 3;
const HOURS_LEAST = 2;
/** Hours that a day adds to a cell with its neighbours. */
const OWN_HOURS = 3;

/** What each day of the history spent in hours that would be dead without that day. */
const deadSpend = oncePerDay((bench, subject, day): readonly number[] => {
  const { grid } = bench;
  const base = costBaseline(bench, subject, day);
  const spent: number[] = [];
  if (!base) return spent;
  for (let past = historyFrom(subject, day); past < day; past += 1) {
    let sum = 0;
    for (let i = dayStart(grid, past); i < dayStart(grid, past + 1); i += 1)
      if (isDead(base.profile, grid, i, OWN_HOURS)) sum += subject.track.cost.values[i] ?? 0;
    spent.push(sum);
  }
  return spent;
});

/** @param own how many of the lively hours may be left out */
function isDead(profile: Profile, grid: Grid, hour: number, own = 0): boolean {
  const [cell] = cellOf(profile, grid, hour);
  return (profile.active[cell] ?? 0) - own <= DEAD_PART * (profile.seen[cell] ?? 0);
}

/** Spend at local hours and weekdays that normally have none. */
export function judgeDeadHours(bench: Bench, subject: Subject, hour: number): Finding | null {
  const { grid, strict } = bench;
  const { cost, scope, name } = subject.track;
  const day = grid.day[hour] ?? 0;
  if ((cost.values[hour] ?? 0) <= 0 || day - historyFrom(subject, day) < DAYS_LEAST) return null;
  const start = Math.max(0, hour + 1 - WINDOW_HOURS);
  const least = Math.max(relevance(bench, subject, day), strict.newcomerPart * usualDay(bench, subject, day));
  if (sumBetween(cost.sums, start, hour + 1) < least) return null;
  const base = costBaseline(bench, subject, day);
  if (!base || !isDead(base.profile, grid, hour) || !isLively(base)) return null;
  let [observed, hours, from] = [0, 0, hour];
  for (let i = hour; i >= start; i -= 1) {
    const value = cost.values[i] ?? 0;
    if (value <= 0 || !isDead(base.profile, grid, i)) continue;
    [observed, hours, from] = [observed + value, hours + 1, i];
  }
  if (observed < (hours < HOURS_LEAST ? 2 * least : least)) return null;
  const before = deadSpend(bench, subject, day).filter((spent) => spent >= COMPARABLE_PART * observed).length;
  if (before > DAYS_MAX) return null;
  const [begin, end] = [instantOf(grid, from), instantOf(grid, hour + 1)];
  return {
    type: 'UNUSUAL_ACTIVITY',
    kind: 'unusual_hours',
    severity: 'warning',
    scope,
    name,
    at: instantOf(grid, hour),
    from: begin,
    to: end,
    unit: 'usd',
    observed: Math.round(observed),
    expected: 0,
    threshold: Math.round(least),
    factor: null,
    excessNano: Math.round(observed),
    basis: 'hour_of_week',
    comparable: base.days,
    strength: observed / least,
    text:
      `${name} spent ${amount('usd', observed)} at a time when it is normally idle (${localSpan(begin, end, grid.timeZone)}). ` +
      `Of the ${base.days} days before, ${before === 0 ? 'none' : 'only one'} had as much in such hours.`,
    movers: [],
    also: [],
    covers: [],
  };
}

function isLively({ profile }: Baseline): boolean {
  const { active, seen } = profile;
  const lively = active.filter((count, cell) => count > 0 && count >= LIVELY_PART * (seen[cell] ?? 0));
  return lively.length >= LIVELY_CELLS;
}
