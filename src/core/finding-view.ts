import type { Finding, FindingKind, FindingType, FindingUnit } from './anomaly/finding.ts';
import type { Episode } from './anomaly/episodes.ts';
import { scopeRecord } from './anomaly/series.ts';
import { usdFromNano } from './money.ts';
import { iso } from './period.ts';

const TITLES: Readonly<Record<FindingType, string>> = {
  COST_SPIKE: 'Cost spike',
  UNUSUAL_ACTIVITY: 'Unusual activity',
  ERROR_SPIKE: 'Error spike',
};
/** Where a title can say more than its type. */
const KIND_TITLES: Partial<Record<FindingKind, string>> = {
  cost_days: 'Higher cost for days',
  volume: 'More calls than usual',
  model_shift: 'Dearer calls',
  unusual_hours: 'Activity at unusual hours',
  drift: 'Away from its own history',
  newcomer: 'New spend',
  silence: 'Silence',
};

/** `Cost spike: key key_…` */
function findingTitle({ type, kind, name }: Finding): string {
  return `${KIND_TITLES[kind] ?? TITLES[type]}: ${name}`;
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
    period: { start: iso(from), end: iso(to) },
    evidence: findingFacts(finding),
  };
}

/** An episode that is over or was replayed. */
export function episodeView({ openedAt, lastAt, resolvedAt, severity, opening }: Episode) {
  return {
    openedAt: iso(openedAt),
    lastAt: iso(lastAt),
    resolvedAt: resolvedAt === null ? null : iso(resolvedAt),
    severity,
    opening: findingView(opening),
  };
}

/** An amount: dollars instead of nano-USD. */
function shownFinding(unit: FindingUnit, value: number): number {
  return unit === 'usd' || unit === 'usd_per_million_tokens' ? usdFromNano(Math.round(value)) : value;
}

/** What a finding rests on, in figures. */
function findingFacts({ type, kind, unit, movers, ...finding }: Finding) {
  const moved = type === 'ERROR_SPIKE' ? 'calls' : unit;
  return {
    kind,
    unit,
    excessUsd: usdFromNano(Math.max(0, Math.round(finding.excessNano))),
    basis: finding.basis,
    comparable: finding.comparable,
    movers: movers.map(({ scope, name, observed, expected, share, isNew }) => ({
      scope: { ...scopeRecord(scope) },
      name,
      value: shownFinding(moved, observed),
      baseline: shownFinding(moved, expected),
      share,
      isNew,
    })),
    also: [...finding.also],
    judgedHour: iso(finding.at),
  };
}

const DAY_MS = 86_400_000;

/** `3 episodes would have been told in 28 days, 0.8 a week.` */
export function backtestSentence(episodes: number, ms: number): string {
  const days = Math.max(1, Math.round(ms / DAY_MS));
  const rate = ((episodes * 7) / days).toFixed(1);
  const told = `${episodes} ${episodes === 1 ? 'episode' : 'episodes'} would have been told`;
  return `${told} in ${days} ${days === 1 ? 'day' : 'days'}, ${rate} a week.`;
}
