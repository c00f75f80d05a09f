import { formatWeekdayTime } from '../text/dates.ts';
import { type DetectionContext, relevance, type DetectionSubject, usualDay } from './detection-context.ts';
import type { Finding } from './finding.ts';
import { hourStart, sumBetween, type SeriesTrack } from './grid.ts';
import { findingAmount } from './words.ts';

/** Hours that the workspace must be known before a series counts as new, and hours that it stays new. */
const KNOWN_HOURS = 168;
const NEW_HOURS = 72;
/** With this many new series of a kind in four weeks, another is not reported: some tags number runs. */
const NEW_SERIES_USUAL = 3;
const RECENT_HOURS = 672;
const WARNING_PART = 0.5;

/** A key, tag value, model or provider that was not there before, with real spend. */
export function judgeNewSeries(context: DetectionContext, subject: DetectionSubject, hour: number): Finding | null {
  const { grid, whole, strict } = context;
  const { scope, name, first, cost } = subject.track;
  if (!whole || scope.kind === 'workspace') return null;
  if (first - whole.track.first < KNOWN_HOURS || hour < first || hour >= first + NEW_HOURS) return null;
  const day = grid.day[hour] ?? 0;
  const usual = usualDay(context, whole, grid.day[first] ?? day);
  const least = Math.max(relevance(context, subject, day), strict.newSeriesPart * usual);
  const spent = sumBetween(cost.sums, first, hour + 1);
  if (spent < least || countNewSeriesBefore(context, subject.track) >= NEW_SERIES_USUAL) return null;
  return {
    type: 'UNUSUAL_ACTIVITY',
    kind: 'newcomer',
    severity: spent >= WARNING_PART * usual ? 'warning' : 'info',
    scope,
    name,
    at: hourStart(grid, hour),
    from: hourStart(grid, first),
    to: hourStart(grid, hour + 1),
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
      `${name} is new since ${formatWeekdayTime(hourStart(grid, first), grid.timeZone)} and has spent ${findingAmount('usd', spent)}; ` +
      `the whole workspace usually spends ${findingAmount('usd', usual)} a day.`,
    movers: [],
    also: [],
    covers: [],
  };
}

function countNewSeriesBefore({ subjects, whole }: DetectionContext, { scope, first }: SeriesTrack): number {
  const known = (whole?.track.first ?? 0) + KNOWN_HOURS;
  return subjects.filter(({ track }) => {
    const alike = track.scope.kind === scope.kind && track.scope.tag === scope.tag;
    return alike && track.first > known && track.first < first && track.first >= first - RECENT_HOURS;
  }).length;
}
