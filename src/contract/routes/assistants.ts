import { assistantQuery, assistantUsage } from '../assistants.ts';
import type { RouteTable } from '../route.ts';

export const assistantRoutes = {
  'GET /api/mcp/assistants': {
    summary: 'Sum usage of coding assistants by person, project, session and others',
    description:
      'Calls through the gateway that name an assistant session, synced session files and telemetry, each call once. Costs are at pay-as-you-go prices; coveredCost is the part that a subscription covers.',
    scope: 'usage:read',
    right: 'read',
    query: assistantQuery,
    response: assistantUsage,
  },
} as const satisfies RouteTable;
