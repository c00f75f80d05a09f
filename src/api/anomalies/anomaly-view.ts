import type { SeriesVerdict } from '../../domain/anomaly/finding.ts';
import { type DetectSettings, scopeRecord } from '../../domain/anomaly/series.ts';
import { usdFromNano } from '../../domain/money/money.ts';
import { withKeyNames } from '../alerts/alert-view.ts';
import type { AnomalyReportShape, AnomalyShape, DetectionSettingsShape } from '../../contract/anomalies.ts';

/** Keys by their names, by id. */
type Names = ReadonlyMap<string, string>;

export function named(anomaly: AnomalyShape, names: Names): AnomalyShape {
  const { title, message, evidence } = anomaly;
  const movers = evidence.movers.map((mover) => ({ ...mover, name: withKeyNames(mover.name, names) }));
  return {
    ...anomaly,
    title: withKeyNames(title, names),
    message: withKeyNames(message, names),
    evidence: { ...evidence, movers },
  };
}

export function verdictView(verdict: SeriesVerdict, names: Names): AnomalyReportShape['series'][number] {
  const { scope, name, ...rest } = verdict;
  return { kind: scope.kind, scope: { ...scopeRecord(scope) }, name: withKeyNames(name, names), ...rest };
}

export function settingsView({ sensitivity, minimumNano }: DetectSettings): DetectionSettingsShape {
  return { sensitivity, minimumUsd: usdFromNano(minimumNano) };
}
