import { z } from 'zod';
import { workspace } from '../contract/usage.ts';
import { endpoint } from './http/endpoint.ts';
import { workspaceView } from './manage/workspace-view.ts';

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
