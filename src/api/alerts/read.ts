import { alert } from '../../contract/usage.ts';
import { endpoint } from '../http/endpoint.ts';
import { alertView, keyNamesIn } from './alert-view.ts';

export const readAlert = endpoint({
  method: 'POST',
  path: '/api/mcp/alerts/{id}/read',
  summary: 'Mark an alert as read',
  description:
    'Reading an OVERRUN acknowledges it: calls to its model, of all keys of the workspace, are held at their bound again. Reading twice is once.',
  scope: 'alerts:read',
  right: 'work',
  answer: alert,
  async handle({ caller, path }, { records, gateway: gate }) {
    const read = await records.alerts.markRead(caller.workspaceId, path.id, caller.actor);
    gate.alertRead(read);
    return alertView(read, await keyNamesIn([read], records));
  },
});
