import { type Alert, ALERT_TYPES, SEVERITIES } from '../../domain/alerts/alert.ts';
import { storedWord } from './known-word.ts';
import type { StoredAlert } from './records.ts';
import type { RecordTables } from './tables.ts';

type AlertRow = RecordTables['alerts'];

export function toAlertRow(id: string, alert: Alert): AlertRow {
  return {
    id,
    workspace_id: alert.workspaceId,
    episode: alert.episode,
    type: alert.type,
    severity: alert.severity,
    title: alert.title,
    message: alert.message,
    scope: JSON.stringify(alert.scope),
    value: alert.value,
    threshold: alert.threshold,
    evidence: JSON.stringify(alert.evidence),
    created_at: alert.createdAt,
    read_at: null,
    period_start: alert.period?.start ?? null,
    period_end: finiteEnd(alert.period),
    resolved_at: null,
  };
}

export function fromAlertRow(row: AlertRow): StoredAlert {
  return {
    id: row.id,
    type: storedWord(ALERT_TYPES, row.type),
    severity: storedWord(SEVERITIES, row.severity),
    workspaceId: row.workspace_id,
    title: row.title,
    message: row.message,
    episode: row.episode,
    createdAt: row.created_at,
    scope: JSON.parse(row.scope) as Alert['scope'],
    value: row.value,
    threshold: row.threshold,
    period: row.period_start === null ? null : { start: row.period_start, end: row.period_end ?? Infinity },
    evidence: JSON.parse(row.evidence) as Alert['evidence'],
    readAt: row.read_at,
    resolvedAt: row.resolved_at,
  };
}

/** A period without an end has none in its column. */
function finiteEnd(period: Alert['period']): number | null {
  return period !== null && Number.isFinite(period.end) ? period.end : null;
}
