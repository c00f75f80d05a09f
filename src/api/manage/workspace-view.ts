import { iso } from '../../domain/time/period.ts';
import type { Workspace } from '../../storage/records/records.ts';
import type { WorkspaceShape } from '../../contract/usage.ts';

export function workspaceView({ id, name, timeZone, retentionDays, createdAt }: Workspace): WorkspaceShape {
  return { id, name, timeZone, retentionDays, createdAt: iso(createdAt) };
}
