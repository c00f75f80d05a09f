import { z } from 'zod';
import { ALERT_TYPES, SEVERITIES } from '../domain/alerts/alert.ts';
import { alert } from '../contract/usage.ts';
import { endpoint } from './http/endpoint.ts';
import { wholeNumber } from './whole-number.ts';
import { alertView, keyNamesIn } from './alerts/alert-view.ts';

export const listAlerts = endpoint({
  method: 'GET',
  path: '/api/mcp/alerts',
  summary: 'List alerts, newest first',
  scope: 'alerts:read',
  right: 'read',
  query: z.object({
    limit: wholeNumber(1, 100).default(20).meta({ description: 'Default: 20' }),
    unreadOnly: z.enum(['true', 'false']).default('false'),
    type: z.enum(ALERT_TYPES).optional(),
    severity: z.enum(SEVERITIES).optional(),
    before: z.string().optional().meta({ description: 'Id of the last one on the page before, for older ones' }),
  }),
  answer: z.array(alert),
  async handle({ caller, query }, { records }) {
    const found = await records.alerts.list(caller.workspaceId, {
      limit: query.limit,
      unreadOnly: query.unreadOnly === 'true',
      before: query.before ?? null,
      ...(query.type && { types: [query.type] }),
      ...(query.severity && { severity: query.severity }),
    });
    const names = await keyNamesIn(found, records);
    return found.map((each) => alertView(each, names));
  },
});
