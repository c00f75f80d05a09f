import type { SeriesVerdict } from '../../domain/anomaly/finding.ts';
import { type DetectSettings, scopeRecord } from '../../domain/anomaly/series.ts';
import { usdFromNano } from '../../domain/money/money.ts';
import { withKeyNames } from '../alerts/alert-view.ts';
import type { AnomalyReportShape, AnomalyShape, DetectionSettingsShape } from '../../contract/anomalies.ts';

/** Keys by their names, by id. */
type KeyNames = ReadonlyMap<string, string>;

export function withNamedKeys(anomaly: AnomalyShape, names: KeyNames): AnomalyShape {
  const { title, message, evidence } = anomaly;
  const movers = evidence.movers.map((mover) => ({ ...mover, name: withKeyNames(mover.name, names) }));
  return {
    ...anomaly,
    title: withKeyNames(title, names),
    message: withKeyNames(message, names),
    evidence: { ...evidence, movers },
  };
}

export function verdictView(verdict: SeriesVerdict, names: KeyNames): AnomalyReportShape['series'][number] {
  const { scope, name, ...rest } = verdict;
  return { kind: scope.kind, scope: { ...scopeRecord(scope) }, name: withKeyNames(name, names), ...rest };
}

export function detectionSettingsView({ sensitivity, minimumNano }: DetectSettings): DetectionSettingsShape {
  return { sensitivity, minimumUsd: usdFromNano(minimumNano) };
}
