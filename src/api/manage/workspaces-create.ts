import { z } from 'zod';
import { workspace } from '../../contract/usage.ts';
import { endpoint } from '../http/endpoint.ts';
import { name, retentionDays, timeZone } from './fields.ts';
import { workspaceView } from './workspace-view.ts';

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
