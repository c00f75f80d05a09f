import { z } from 'zod';
import { alert } from '../contract/alerts.ts';
import { flag, wholeNumber } from './parameters.ts';
import { page, table } from './render.ts';
import { defineTool } from './tool.ts';
import { formatDateTime } from '../domain/text/dates.ts';

export const listAlerts = defineTool({
  name: 'svc_list_alerts',
  title: 'Alerts',
  description:
    'Alerts of the workspace, newest first: budget warnings, budgets exceeded, cost spikes, unusual activity, errors, rate limits, models without a price and other problems, each with its severity, period, state and whether it was read. Listing does not mark them as read.',
  input: {
    limit: wholeNumber(1, 100, 'Most alerts').default(20),
    unreadOnly: flag('Only unread alerts').default(false),
  },
  output: z.object({ alerts: z.array(alert) }),
  hints: { readOnly: true, idempotent: true, zone: 'workspace' },
  needsFiles: false,
  async run({ limit, unreadOnly }, { client, signal }) {
    const query = { limit, unreadOnly: unreadOnly ? ('true' as const) : ('false' as const) };
    return { alerts: await client.call('GET /api/mcp/alerts', { query, signal }) };
  },
  markdown({ alerts }, timeZone) {
    if (alerts.length === 0) return 'No matching alerts.';
    return page(
      `Newest first; times in ${timeZone}`,
      table(
        ['When', 'Severity', 'Type', 'What happened', 'About', 'Over', 'Read'],
        alerts.map(({ createdAt, severity, type, title, message, period, resolvedAt, read }) => [
          formatDateTime(createdAt, timeZone),
          severity,
          type,
          message.startsWith(title) ? message : `${title}: ${message}`,
          period
            ? `${formatDateTime(period.start, timeZone)} to ${period.end ? formatDateTime(period.end, timeZone) : 'no end'}`
            : '',
          resolvedAt ? formatDateTime(resolvedAt, timeZone) : 'no',
          read ? 'yes' : 'no',
        ]),
      ),
    );
  },
});
