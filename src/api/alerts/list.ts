import { z } from 'zod';
import { alert } from '../contract.ts';
import { endpoint } from '../endpoint.ts';
import { wholeNumber } from '../whole-number.ts';
import { alertView, keyNamesIn } from './alert-view.ts';

export const listAlerts = endpoint({
  method: 'GET',
  path: '/api/mcp/alerts',
  summary: 'List alerts, newest first',
  scope: 'alerts:read',
  right: 'read',
  query: z.object({
    limit: wholeNumber(1, 100).default(20).meta({ description: 'Default: 20' }),
    unreadOnly: z.enum(['true', 'false']).default('false'),
  }),
  answer: z.array(alert),
  async handle({ caller, query }, { records }) {
    const asked = { limit: query.limit, unreadOnly: query.unreadOnly === 'true' };
    const found = await records.alerts.list(caller.workspaceId, asked);
    const names = await keyNamesIn(found, records);
    return found.map((each) => alertView(each, names));
  },
});
