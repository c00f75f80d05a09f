import { z } from 'zod';
import { workspace, type WorkspaceShape } from '../contract/usage.ts';
import { endpoint } from './http/endpoint.ts';
import { toIso } from '../domain/time/period.ts';
import { name, retentionDays, timeZone } from './fields.ts';
import { TollbookError } from '../domain/errors.ts';
import { seen } from '../contract/seen.ts';
import { requireUnchanged } from './http/if-match.ts';
import { ownWorkspace } from '../contract/tools.ts';
import type { Workspace } from '../storage/records/workspaces.ts';

export function workspaceView({ id, name, timeZone, retentionDays, createdAt }: Workspace): WorkspaceShape {
  return { id, name, timeZone, retentionDays, createdAt: toIso(createdAt) };
}

export const listWorkspaces = endpoint({
  method: 'GET',
  path: '/api/manage/workspaces',
  summary: 'List workspaces; a token sees its own',
  scope: 'admin',
  right: 'read',
  answer: z.array(workspace),
  async handle({ caller }, { records }) {
    const all = await records.workspaces.list();
    return all.filter(({ id }) => caller.isOwner || id === caller.workspaceId).map(workspaceView);
  },
});

export const createWorkspace = endpoint({
  method: 'POST',
  path: '/api/manage/workspaces',
  summary: 'Make a workspace',
  scope: 'admin',
  right: 'operate',
  body: z.strictObject({ name, timeZone: timeZone.default('UTC'), retentionDays: retentionDays.optional() }),
  answer: workspace,
  status: 201,
  async handle({ caller, body: { retentionDays: days, ...rest } }, { records }) {
    const input = {
      ...rest,
      ...(days !== undefined && { retentionDays: days }),
      // Nobody else could open it in a browser.
      ...(caller.role && { owner: caller.actor }),
    };
    return workspaceView(await records.workspaces.create(input, caller.actor));
  },
});

export const updateWorkspace = endpoint({
  method: 'PATCH',
  path: '/api/manage/workspaces/{id}',
  summary: 'Rename a workspace, set its time zone or how long its entries are kept',
  scope: 'admin',
  right: 'manage',
  body: z.strictObject({
    name: name.optional(),
    timeZone: timeZone.optional(),
    retentionDays: retentionDays.optional(),
    seen,
  }),
  answer: workspace,
  async handle({ caller, path, body }, { records, gateway: gate }) {
    if (!caller.isOwner && path.id !== caller.workspaceId)
      throw new TollbookError('not_found', `There is no workspace "${path.id}".`);
    const change = {
      ...(body.name !== undefined && { name: body.name }),
      ...(body.timeZone !== undefined && { timeZone: body.timeZone }),
      ...(body.retentionDays !== undefined && { retentionDays: body.retentionDays }),
    };
    const updated = await records.workspaces.update(path.id, change, caller.actor, (now) =>
      requireUnchanged(body.seen, workspaceView(now)),
    );
    if (body.timeZone !== undefined) await gate.zoneChanged(updated.id);
    return workspaceView(updated);
  },
});

export const getOwnWorkspace = endpoint({
  method: 'GET',
  path: '/api/mcp/workspace',
  summary: "The access token's workspace, whose time zone decides what today is",
  scope: 'usage:read',
  right: 'read',
  answer: ownWorkspace,
  async handle({ caller }, { records }) {
    const { id, name, timeZone } = await records.workspaces.get(caller.workspaceId);
    return { id, name, timeZone };
  },
});
