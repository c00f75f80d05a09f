import type { Alert } from '../domain/alerts/alert.ts';
import type { AdminKey } from '../storage/records/admin-keys.ts';

/** Alert that the provider refuses an admin key. No reports are read until someone replaces or resumes it. */
export function refusedKeyAlert({ id, name, workspaceId }: AdminKey, problem: string, createdAt: number): Alert {
  return {
    ...NO_VALUES,
    type: 'KEY_PROBLEM',
    severity: 'critical',
    workspaceId,
    title: `Admin key ${name} is refused`,
    message: `${problem} Report sync is paused. Resume or replace the key under Provider reports in the dashboard, or run: tollbook admin-keys resume ${id}, or tollbook admin-keys replace ${id}.`,
    episode: `admin_key:${id}:${createdAt}`,
    createdAt,
    scope: { adminKey: id },
  };
}

/** Alert that a report has a class of usage that this version does not know and cannot store. */
export function unknownClassAlert(
  { id, workspaceId }: AdminKey,
  provider: string,
  report: string,
  unknown: string,
  createdAt: number,
): Alert {
  return {
    ...NO_VALUES,
    type: 'COVERAGE',
    severity: 'warning',
    workspaceId,
    title: `Unknown class of usage in a report of ${provider}`,
    message: `The report "${report}" of ${provider} contains "${unknown}", which this version of Tollbook does not know. That usage is not counted. Check for a newer version.`,
    episode: `report_class:${id}:${report}:${unknown}`,
    createdAt,
    scope: { adminKey: id },
  };
}

const NO_VALUES = { value: null, threshold: null, period: null, evidence: {} } as const;
