import { ownWorkspace } from '../../contract/tools.ts';
import { endpoint } from '../http/endpoint.ts';

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
