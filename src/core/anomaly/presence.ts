import { type Bench, historyFrom, oncePerDay, relevance, type Subject, usualDay } from './bench.ts';
import type { Finding } from './finding.ts';
import { dayStart, instantOf, sumBetween, type Track } from './grid.ts';
import { amount, lengthOf, localTime } from './words.ts';

/** How long the workspace must have been seen before anything in it is new, and how long it stays new. */
const KNOWN_HOURS = 168;
const NEW_HOURS = 72;
/** Where so many of a kind came within four weeks, one more is nothing to tell: tags that count runs. */
const NEWCOMERS_USUAL = 3;
const RECENT_HOURS = 672;
const WARNING_PART = 0.5;

/** A key, tag value, model or provider that was not there before, with real spend. */
export function judgeNewcomer(bench: Bench, subject: Subject, hour: number): Finding | null {
  const { grid, whole, strict } = bench;
  const { scope, name, first, cost } = subject.track;
  if (!whole || scope.kind === 'workspace') return null;
  if (first - whole.track.first < KNOWN_HOURS || hour < first || hour >= first + NEW_HOURS) return null;
  const day = grid.day[hour] ?? 0;
  const usual = usualDay(bench, whole, grid.day[first] ?? day);
  const least = Math.max(relevance(bench, subject, day), strict.newcomerPart * usual);
  const spent = sumBetween(cost.sums, first, hour + 1);
  if (spent < least || newcomersBefore(bench, subject.track) >= NEWCOMERS_USUAL) return null;
  return {
    type: 'UNUSUAL_ACTIVITY',
    kind: 'newcomer',
    severity: spent >= WARNING_PART * usual ? 'warning' : 'info',
    scope,
    name,
    at: instantOf(grid, hour),
    from: instantOf(grid, first),
    to: instantOf(grid, hour + 1),
    unit: 'usd',
    observed: spent,
    expected: 0,
    threshold: Math.round(least),
    factor: null,
    excessNano: spent,
    basis: 'nothing',
    comparable: 0,
    strength: spent / least,
    text:
      `${name} is new since ${localTime(instantOf(grid, first), grid.timeZone)} and has spent ${amount('usd', spent)}; ` +
      `the whole workspace usually comes to ${amount('usd', usual)} a day.`,
    movers: [],
    also: [],
    covers: [],
  };
}

function newcomersBefore({ subjects, whole }: Bench, { scope, first }: Track): number {
  const known = (whole?.track.first ?? 0) + KNOWN_HOURS;
  return subjects.filter(({ track }) => {
    const alike = track.scope.kind === scope.kind && track.scope.tag === scope.tag;
    return alike && track.first > known && track.first < first && track.first >= first - RECENT_HOURS;
  }).length;
}

const DAYS_LEAST = 14;
/** Only series that never pause are missed when they do. */
const PAUSE_HOURS_MAX = 12;
const SILENT_HOURS_LEAST = 6;
const SILENT_HOURS_TOLD = 48;

/** The longest pause that ended before a day, in hours; null = too little history, or it stopped for other reasons. */
const longestPause = oncePerDay(({ grid }, subject, day): number | null => {
  const fromDay = historyFrom(subject, day);
  if (day - fromDay < DAYS_LEAST) return null;
  let [longest, pause] = [0, 0];
  for (let i = dayStart(grid, fromDay); i < dayStart(grid, day); i += 1) {
    pause = isIdle(subject.track, i) ? pause + 1 : 0;
    if (pause === 0 || i + 1 === grid.hours) continue;
    if (!isIdle(subject.track, i + 1) && pause > longest) longest = pause;
  }
  return longest;
});

function isIdle({ cost, calls }: Track, hour: number): boolean {
  return (cost.values[hour] ?? 0) === 0 && (calls?.values[hour] ?? 0) === 0;
}

/** A series that never pauses has stopped. Only hours that are over count. */
export function judgeSilence(bench: Bench, subject: Subject, hour: number): Finding | null {
  const { grid } = bench;
  const { track } = subject;
  if ((track.scope.kind !== 'workspace' && track.scope.kind !== 'key') || !isIdle(track, hour)) return null;
  const day = grid.day[hour] ?? 0;
  const longest = longestPause(bench, subject, day);
  const usual = usualDay(bench, subject, day);
  if (longest === null || longest > PAUSE_HOURS_MAX || usual < relevance(bench, subject, day)) return null;
  const least = Math.max(SILENT_HOURS_LEAST, 2 * longest + 2);
  let silent = 0;
  while (silent < SILENT_HOURS_TOLD && silent <= hour && isIdle(track, hour - silent)) silent += 1;
  if (silent < least || silent >= SILENT_HOURS_TOLD) return null;
  const from = instantOf(grid, hour + 1 - silent);
  return {
    type: 'UNUSUAL_ACTIVITY',
    kind: 'silence',
    severity: 'info',
    scope: track.scope,
    name: track.name,
    at: instantOf(grid, hour),
    from,
    to: instantOf(grid, hour + 1),
    unit: 'hours',
    observed: silent,
    expected: longest,
    threshold: least,
    factor: longest > 0 ? silent / longest : null,
    excessNano: 0,
    basis: 'days',
    comparable: day - historyFrom(subject, day),
    strength: silent / least,
    text:
      `${track.name} has been silent since ${localTime(from, grid.timeZone)}, ${lengthOf(silent)}; ` +
      `it usually comes to ${amount('usd', usual)} a day and has ${longest === 0 ? 'never paused for an hour' : `not paused for more than ${lengthOf(longest)}`}.`,
    movers: [],
    also: [],
    covers: [],
  };
}
