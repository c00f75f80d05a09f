import type { McpServer } from '@modelcontextprotocol/server';
import type { UsageSeries } from '../contract/usage.ts';
import { monthStart, toIso } from '../domain/time/period.ts';
import { getUsageSummary } from './get-usage-summary.ts';
import { page, table } from './render.ts';
import type { ToolSession } from './session.ts';
import { MINUTE_MS } from '../domain/time/units.ts';
import { formatCount } from '../domain/text/counts.ts';
import { formatDateTime } from '../domain/text/dates.ts';
import { formatDollars } from '../domain/text/money.ts';

const DATE_CHARACTERS = 10;

export function addResources(server: McpServer, session: ToolSession): void {
  server.registerResource(
    'current-month',
    'tollbook://ledger/current-month',
    {
      title: "This month's usage",
      description: "Cost and usage since the month began in the workspace's time zone: by provider, model and day",
      mimeType: 'text/markdown',
      cacheHint: { ttlMs: MINUTE_MS, cacheScope: 'private' },
    },
    async (uri, { mcpReq: { signal } }) => ({
      contents: [{ uri: uri.href, mimeType: 'text/markdown', text: await currentMonth(session, signal) }],
    }),
  );
}

async function currentMonth(session: ToolSession, signal: AbortSignal): Promise<string> {
  const context = session.context(signal, () => undefined);
  const now = context.clock();
  const timeZone = await context.timeZone();
  const dates = { startDate: toIso(monthStart(now, timeZone)), endDate: toIso(now) };
  const [summary, series] = await Promise.all([
    getUsageSummary.call(dates, context),
    context.client.call('GET /api/mcp/usage/series', { query: { ...dates, step: 'day' }, signal }),
  ]);
  return page("# This month's usage", summary.text, dayTable(series, timeZone));
}

function dayTable({ points }: UsageSeries, timeZone: string): string {
  return table(
    ['Day', '>Cost', '>Calls'],
    points.map(({ start, cost, calls }) => [
      formatDateTime(start, timeZone).slice(0, DATE_CHARACTERS),
      formatDollars(cost),
      formatCount(calls),
    ]),
  );
}
