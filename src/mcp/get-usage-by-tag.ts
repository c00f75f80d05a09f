import { z } from 'zod';
import { type TagUsageRow, tagUsageRow } from '../contract/usage.ts';
import { askedPeriod } from './asked-period.ts';
import { endDate, startDate, text, wholeNumber } from './parameters.ts';
import { cell, page, span, table } from './render.ts';
import { defineTool } from './tool.ts';
import { partCost, uncertaintyNotes } from './view.ts';
import { formatCount } from '../domain/text/counts.ts';
import { formatPercent } from '../domain/text/percent.ts';

export const getUsageByTag = defineTool({
  name: 'svc_get_usage_by_tag',
  title: 'Usage and cost by tag',
  description:
    'Cost and calls for each value of a tag, such as project, team, user or environment, highest cost first. Shares are of the cost of all calls with the tag. Default: the last 30 days.',
  input: {
    tagKey: text('a tag key, for example project').describe('Tag key, for example project or team'),
    startDate,
    endDate,
    limit: wholeNumber(1, 100, 'Most rows').default(20),
  },
  output: z.object({
    tagKey: z.string(),
    period: z.object({ start: z.string(), end: z.string() }),
    rows: z.array(tagUsageRow),
  }),
  hints: { readOnly: true, idempotent: true, zone: 'workspace' },
  needsFiles: false,
  async run({ tagKey, limit, ...dates }, context) {
    const period = await askedPeriod(dates, context);
    const query = { tagKey, limit, ...period };
    const rows = await context.client.call('GET /api/mcp/usage/by-tag', { query, signal: context.signal });
    return { tagKey, period: { start: period.startDate, end: period.endDate }, rows };
  },
  markdown({ tagKey, period, rows }, timeZone) {
    const when = span(period, timeZone);
    if (rows.length === 0)
      return `No call has the tag "${cell(tagKey)}" from ${when}. Calls get tags from their wrapped key or the header x-svc-tag-${cell(tagKey)}.`;
    return page(
      `By ${cell(tagKey)}, ${when}`,
      table(
        [tagKey, '>Cost', '>Share', '>Calls'],
        rows.map((row) => [row.value, partCost(row), formatPercent(row.percentage / 100), formatCount(row.calls)]),
      ),
      uncertaintyNotes({
        unpricedCalls: sumField(rows, 'unpricedCalls'),
        uncertainCalls: sumField(rows, 'uncertainCalls'),
        uncertainUpTo: sumField(rows, 'uncertainUpTo'),
      }),
    );
  },
});

function sumField(rows: readonly TagUsageRow[], field: 'unpricedCalls' | 'uncertainCalls' | 'uncertainUpTo'): number {
  return rows.reduce((sum, row) => sum + (row[field] ?? 0), 0);
}
