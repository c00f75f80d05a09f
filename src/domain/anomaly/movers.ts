import { type DetectionContext, historyFrom, type DetectionSubject } from './detection-context.ts';
import type { Finding, FindingMover } from './finding.ts';
import { dayStart, dayTotals, hourAt, sumBetween } from './grid.ts';
import { usualSum } from './past-sums.ts';
import { median } from './statistics.ts';
import type { ScopeKind } from './series.ts';
import { findingAmount } from './words.ts';

const MOVERS_MAX = 5;
const SHARE_LEAST = 0.15;
const NEW_HOURS = 168;
const DAY_HOURS = 24;

/** Order of scopes, beginning with scopes that a person can act on. */
export const SCOPE_ORDER: Readonly<Record<ScopeKind, number>> = { workspace: 0, key: 1, tag: 2, model: 3, provider: 4 };

interface MovedAmount {
  readonly observed: number;
  readonly expected: number;
}

/** The parts of the workspace that carry a finding of the whole, over its hours, the largest share first. */
export function findMovers(context: DetectionContext, finding: Finding): readonly FindingMover[] {
  if (!context.whole || finding.kind === 'drop') return [];
  const total = movedExcess(movedBy(context, context.whole, finding));
  if (total <= 0) return [];
  return context.subjects
    .filter(({ track }) => track.scope.kind !== 'workspace')
    .map((subject): FindingMover => {
      const { observed, expected } = movedBy(context, subject, finding);
      const { scope, name, first } = subject.track;
      const isNew =
        first - (context.whole?.track.first ?? 0) > NEW_HOURS && hourAt(context.grid, finding.to) - first < NEW_HOURS;
      return { scope, name, observed, expected, share: Math.min(1, (observed - expected) / total), isNew };
    })
    .filter(({ share }) => share >= SHARE_LEAST)
    .toSorted(
      (a, b) =>
        b.share - a.share || SCOPE_ORDER[a.scope.kind] - SCOPE_ORDER[b.scope.kind] || (a.name < b.name ? -1 : 1),
    )
    .slice(0, MOVERS_MAX);
}

function movedExcess({ observed, expected }: MovedAmount): number {
  return observed - expected;
}

/** Returns observed and normal usage of a series in the hours of a finding: calls, failed calls or nano-USD. */
function movedBy(context: DetectionContext, subject: DetectionSubject, finding: Finding): MovedAmount {
  const { track } = subject;
  const [start, end] = [hourAt(context.grid, finding.from), hourAt(context.grid, finding.to)];
  if (finding.kind === 'errors') {
    const calls = track.calls ? sumBetween(track.calls.sums, start, end) : 0;
    const failed = track.failed ? sumBetween(track.failed.sums, start, end) : 0;
    return { observed: failed, expected: calls * finding.expected };
  }
  const measure = finding.kind === 'volume' ? track.calls : track.cost;
  if (!measure) return { observed: 0, expected: 0 };
  const observed = sumBetween(measure.sums, start, end);
  if (end - start > DAY_HOURS) return { observed, expected: usualDays(context, subject, start, end) };
  return { observed, expected: usualSum(measure, track.first, start, end) };
}

/** Compares whole days with the days before them, because the recent pattern already includes the change. */
function usualDays({ grid }: DetectionContext, subject: DetectionSubject, start: number, end: number): number {
  const day = grid.day[start] ?? 0;
  const before = dayTotals(subject.track.cost.sums, grid, historyFrom(subject, day), day);
  return (median(before) * (end - Math.max(start, dayStart(grid, day)))) / DAY_HOURS;
}

/** ` Most of it is key ci (82 %), then model gpt-5 (79 %).` */
export function moversText(movers: readonly FindingMover[]): string {
  const [first, ...others] = movers;
  if (!first) return '';
  const moverText = ({ name, share, isNew }: FindingMover): string =>
    `${name}${isNew ? ', which is new' : ''} (${findingAmount('share', share)})`;
  const rest = others.slice(0, 2).map(moverText).join(' and ');
  return ` Main contributor: ${moverText(first)}${rest ? `; from another view, ${rest}` : ''}.`;
}
