import { z } from 'zod';
import { TollbookError } from '../../domain/errors.ts';
import { seen } from '../../contract/seen.ts';
import { requireUnchanged } from '../http/if-match.ts';
import { workspace } from '../../contract/usage.ts';
import { endpoint } from '../http/endpoint.ts';
import { name, retentionDays, timeZone } from './fields.ts';
import { workspaceView } from './workspace-view.ts';

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
