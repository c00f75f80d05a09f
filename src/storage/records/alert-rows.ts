import { type Alert, ALERT_TYPES, SEVERITIES } from '../../domain/alerts/alert.ts';
import { knownWord } from './known-word.ts';
import type { StoredAlert } from './records.ts';
import type { Tables } from './tables.ts';

type Row = Tables['alerts'];

export function toAlertRow(id: string, alert: Alert): Row {
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
    period_end: endOf(alert.period),
    resolved_at: null,
  };
}

export function fromAlertRow(row: Row): StoredAlert {
  return {
    id: row.id,
    type: knownWord(ALERT_TYPES, row.type),
    severity: knownWord(SEVERITIES, row.severity),
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
function endOf(period: Alert['period']): number | null {
  return period !== null && Number.isFinite(period.end) ? period.end : null;
}
