import type { Finding, FindingKind, FindingType, FindingUnit } from './anomaly/finding.ts';
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
export function findingTitle({ type, kind, name }: Finding): string {
  return `${KIND_TITLES[kind] ?? TITLES[type]}: ${name}`;
}

/** An amount as people and programs read it: dollars instead of nano-USD. */
export function shownFinding(unit: FindingUnit, value: number): number {
  return unit === 'usd' || unit === 'usd_per_million_tokens' ? usdFromNano(Math.round(value)) : value;
}

/** What a finding rests on, in figures: part of alerts and of the list of anomalies. */
export function findingFacts({ type, kind, unit, movers, ...finding }: Finding) {
  const moved = type === 'ERROR_SPIKE' ? 'calls' : unit;
  return {
    kind,
    unit,
    baseline: shownFinding(unit, finding.expected),
    factor: finding.factor,
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
