import { iso } from '../../core/period.ts';
import type { StoredAlert } from '../../storage/records/records.ts';
import type { AlertShape } from '../contract.ts';
import { isoOrNull } from '../iso-or-null.ts';

export function alertView(alert: StoredAlert): AlertShape {
  const { id, type, severity, title, message, createdAt, readAt, scope, value, threshold, evidence } = alert;
  return {
    id,
    type,
    severity,
    title,
    message,
    createdAt: iso(createdAt),
    read: readAt !== null,
    readAt: isoOrNull(readAt),
    scope: { ...scope },
    value,
    threshold,
    evidence: { ...evidence },
  };
}
