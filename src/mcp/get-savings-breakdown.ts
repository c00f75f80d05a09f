import { type SavingsBreakdown, savingsBreakdown } from '../contract/sync.ts';
import { costText } from './local-shapes.ts';
import { page, ROWS_MAX, table } from './render.ts';
import { checkDate, savingsInput, savingsSpan } from './savings-view.ts';
import { defineTool } from './tool.ts';
import { uncertaintyNotes } from './view.ts';
import { formatCount } from '../domain/text/counts.ts';
import { formatPercent } from '../domain/text/percent.ts';

export const getSavingsBreakdown = defineTool({
  name: 'svc_get_savings_breakdown',
  title: 'Savings by model',
  description:
    'Synced sessions of coding assistants by model: calls, tokens of each class, cost at retail prices and whether a plan covers it. Period and date as in svc_get_savings.',
  input: savingsInput,
  output: savingsBreakdown,
  hints: { readOnly: true, idempotent: true, zone: 'workspace' },
  needsFiles: false,
  run({ period, date }, { client, signal }) {
    checkDate(date);
    return client.call('GET /api/mcp/savings/breakdown', { query: { period, date }, signal });
  },
  markdown(report) {
    const { rows, retailCost } = report;
    if (rows.length === 0)
      return `No synced sessions in this period (${savingsSpan(report)}). svc_sync_claude_code_usage and svc_sync_codex_usage upload sessions.`;
    const unpriced = {
      unpricedCalls: rows.reduce((sum, row) => sum + (row.unpricedCalls ?? 0), 0),
      unpricedUsage: rows.some((row) => row.unpricedUsage),
    };
    return page(
      `**${costText({ cost: retailCost, ...unpriced })}** at retail prices (${savingsSpan(report)})`,
      table(
        [
          'Model',
          'Provider',
          '>Retail',
          '>Share',
          '>Calls',
          '>Input',
          '>Output',
          '>Cache read',
          '>Cache write',
          'Plan',
        ],
        rows.slice(0, ROWS_MAX).map(savingsCells),
      ),
      rows.length > ROWS_MAX && `${formatCount(rows.length - ROWS_MAX)} more models are in the structured answer.`,
      uncertaintyNotes(unpriced),
    );
  },
});

function savingsCells(row: SavingsBreakdown['rows'][number]): string[] {
  return [
    row.model,
    row.provider,
    costText({ ...row, cost: row.retailCost }),
    formatPercent(row.percentage / 100),
    row.callsUnknown ? `≥ ${formatCount(row.calls)}` : formatCount(row.calls),
    ...[row.inputTokens, row.outputTokens, row.cacheReadTokens, row.cacheCreationTokens].map(formatCount),
    row.covered ? 'covers it' : 'none',
  ];
}
