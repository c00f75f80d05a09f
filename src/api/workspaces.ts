import type { WorkspaceShape } from '../contract/workspaces.ts';
import { endpoint } from './http/endpoint.ts';
import { toIso } from '../domain/time/period.ts';
import { TollbookError } from '../domain/errors.ts';
import { withEtag } from './http/if-match.ts';
import type { Workspace } from '../storage/records/workspaces.ts';
import type { Records } from '../storage/records/records.ts';
import type { GatewayNotices } from './gateway-notices.ts';

export interface WorkspaceServices {
  readonly records: Records;
  readonly gateway: Pick<GatewayNotices, 'zoneChanged'>;
}

function workspaceView({ id, name, timeZone, retentionDays, createdAt }: Workspace): WorkspaceShape {
  return withEtag({ id, name, timeZone, retentionDays, createdAt: toIso(createdAt) });
}

export const listWorkspaces = endpoint(
  'GET /api/manage/workspaces',
  async ({ caller }, { records }: WorkspaceServices) => {
    const all = await records.workspaces.list();
    return all.filter(({ id }) => caller.isOwner || id === caller.workspaceId).map(workspaceView);
  },
);

export const createWorkspace = endpoint(
  'POST /api/manage/workspaces',
  async ({ caller, body: { retentionDays: days, ...rest } }, { records }: WorkspaceServices) => {
    const input = {
      ...rest,
      ...(days !== undefined && { retentionDays: days }),
      // Otherwise no one could open it in a browser.
      ...(caller.role && { owner: caller.actor }),
    };
    return workspaceView(await records.workspaces.create(input, caller.actor));
  },
);

export const updateWorkspace = endpoint(
  'PATCH /api/manage/workspaces/{id}',
  async ({ caller, path, body, requireMatch }, { records, gateway }: WorkspaceServices) => {
    if (!caller.isOwner && path.id !== caller.workspaceId)
      throw new TollbookError('not_found', `There is no workspace "${path.id}".`);
    const change = {
      ...(body.name !== undefined && { name: body.name }),
      ...(body.timeZone !== undefined && { timeZone: body.timeZone }),
      ...(body.retentionDays !== undefined && { retentionDays: body.retentionDays }),
    };
    const updated = await records.workspaces.update(path.id, change, caller.actor, (now) =>
      requireMatch(workspaceView(now)),
    );
    if (body.timeZone !== undefined) await gateway.zoneChanged(updated.id);
    return workspaceView(updated);
  },
);

export const getOwnWorkspace = endpoint(
  'GET /api/mcp/workspace',
  async ({ caller }, { records }: WorkspaceServices) => {
    const { id, name, timeZone } = await records.workspaces.get(caller.workspaceId);
    return { id, name, timeZone };
  },
);
