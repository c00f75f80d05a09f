import type { Alert } from '../domain/alerts/alert.ts';
import type { AdminKey } from '../storage/records/admin-keys.ts';

/** The provider does not take an admin key any more: nothing is read until somebody sees to it. */
export function refusedKeyAlert({ id, name, workspaceId }: AdminKey, problem: string, createdAt: number): Alert {
  return {
    ...NO_VALUES,
    type: 'ADMIN_KEY_TROUBLE',
    severity: 'critical',
    workspaceId,
    title: `The admin key ${name} is refused`,
    message: `${problem} Its reports are not read until it is resumed or replaced: under Provider reports in the dashboard, or with: tollbook admin-keys resume ${id}, or replace ${id}.`,
    episode: `admin_key:${id}:${createdAt}`,
    createdAt,
    scope: { adminKey: id },
  };
}

/** A report counts something that this version has no class for: the book can't hold it. */
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
    title: `${provider} reports a class of usage that is unknown here`,
    message: `The report "${report}" of ${provider} counts "${unknown}", which this version of Tollbook does not know: that usage is left out. Look for a newer version.`,
    episode: `report_class:${id}:${report}:${unknown}`,
    createdAt,
    scope: { adminKey: id },
  };
}

const NO_VALUES = { value: null, threshold: null, period: null, evidence: {} } as const;
