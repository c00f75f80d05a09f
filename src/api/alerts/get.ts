import { alert } from '../../contract/usage.ts';
import { endpoint } from '../http/endpoint.ts';
import { alertView, keyNamesIn } from './alert-view.ts';

export const getAlert = endpoint({
  method: 'GET',
  path: '/api/mcp/alerts/{id}',
  summary: 'One alert; asking does not mark it as read',
  scope: 'alerts:read',
  right: 'read',
  answer: alert,
  async handle({ caller, path }, { records }) {
    const found = await records.alerts.get(caller.workspaceId, path.id);
    return alertView(found, await keyNamesIn([found], records));
  },
});
