import type { Finding, FindingKind, FindingType, FindingUnit } from '../anomaly/finding.ts';
import { HOURS_NEEDED } from '../anomaly/detection-context.ts';
import type { Episode } from '../anomaly/episodes.ts';
import { scopeRecord } from '../anomaly/series.ts';
import { usdFromNano } from '../money/money.ts';
import { toIso, type Period } from '../time/period.ts';
import { DAY_MS, HOUR_MS } from '../time/units.ts';
import { formatDateTime } from '../text/dates.ts';

const TITLES: Readonly<Record<FindingType, string>> = {
  COST_SPIKE: 'Cost spike',
  UNUSUAL_ACTIVITY: 'Unusual activity',
  ERROR_SPIKE: 'Error spike',
};
/** Titles for kinds that need a special one. */
const KIND_TITLES: Partial<Record<FindingKind, string>> = {
  volume: 'More calls than normal',
  model_shift: 'More expensive calls',
  newcomer: 'New spend',
  drop: 'Less usage than normal',
};

/** `Cost spike: key key_…`, or `Cost spike` of the whole workspace. */
function findingTitle({ type, kind, name, scope }: Finding): string {
  const title = KIND_TITLES[kind] ?? TITLES[type];
  return scope.kind === 'workspace' ? title : `${title}: ${name}`;
}

/** A finding as people and programs read it: in words, in dollars, in ISO times. */
export function findingView(finding: Finding) {
  const { type, severity, scope, text, unit, observed, threshold, from, to } = finding;
  return {
    type,
    severity,
    title: findingTitle(finding),
    message: text,
    scope: { ...scopeRecord(scope) },
    value: shownFinding(unit, observed),
    baseline: shownFinding(unit, finding.expected),
    factor: finding.factor,
    threshold: shownFinding(unit, threshold),
    period: { start: toIso(from), end: toIso(to) },
    evidence: findingFacts(finding),
  };
}

/** An episode that is over or was replayed. */
export function episodeView({ openedAt, lastAt, resolvedAt, severity, opening }: Episode) {
  return {
    openedAt: toIso(openedAt),
    lastAt: toIso(lastAt),
    resolvedAt: resolvedAt === null ? null : toIso(resolvedAt),
    severity,
    opening: findingView(opening),
  };
}

/** An amount: dollars instead of nano-USD. */
function shownFinding(unit: FindingUnit, value: number): number {
  return unit === 'usd' || unit === 'usd_per_million_tokens' ? usdFromNano(Math.round(value)) : value;
}

/** Returns the figures behind a finding. */
function findingFacts({ type, kind, unit, movers, ...finding }: Finding) {
  const moved = type === 'ERROR_SPIKE' ? 'calls' : unit;
  return {
    kind,
    unit,
    excessUsd: usdFromNano(Math.max(0, Math.round(finding.excessNano))),
    basis: finding.basis,
    sampleSize: finding.comparable,
    movers: movers.map(({ scope, name, observed, expected, share, isNew }) => ({
      scope: { ...scopeRecord(scope) },
      name,
      value: shownFinding(moved, observed),
      baseline: shownFinding(moved, expected),
      share,
      isNew,
    })),
    alsoMatches: [...finding.also],
    judgedHour: toIso(finding.at),
  };
}

/**
 * Sums up a backtest: `3 episodes would have been reported in 28 days, 0.8 a week.` Days without enough history are
 * named and do not count as calm. `first` = start of the first usage, epoch ms; null = no usage.
 */
export function backtestSentence(episodes: number, { start, end }: Period, first: number | null): string {
  if (first === null) return 'Not enough history: no usage in this period or before.';
  const judgedFrom = Math.max(start, first + HOURS_NEEDED * HOUR_MS);
  if (judgedFrom >= end && episodes === 0)
    return `Not enough history: usage began ${utcMinute(first)}, and normal usage is known after ${days(HOURS_NEEDED * HOUR_MS)}.`;
  const judged = end - (judgedFrom < end ? judgedFrom : start);
  const rate = ((episodes * 7 * DAY_MS) / Math.max(DAY_MS, judged)).toFixed(1);
  const countText = `${episodes} ${episodes === 1 ? 'episode' : 'episodes'} would have been reported`;
  const young = judgedFrom > start && judgedFrom < end ? ` Before ${utcMinute(judgedFrom)}: not enough history.` : '';
  return `${countText} in ${days(judged)}, ${rate} a week.${young}`;
}

function days(ms: number): string {
  const whole = Math.max(1, Math.round(ms / DAY_MS));
  return `${whole} ${whole === 1 ? 'day' : 'days'}`;
}

function utcMinute(ms: number): string {
  return `${formatDateTime(ms, 'UTC')} UTC`;
}
