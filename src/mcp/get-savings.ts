import { savings, type SavingsShape } from '../contract/sync.ts';
import { costText } from './local-shapes.ts';
import { cell, page, table } from './render.ts';
import { checkDate, savingsInput, savingsSpan } from './savings-view.ts';
import { defineTool } from './tool.ts';
import { uncertaintyNotes } from './view.ts';
import { formatCount } from '../domain/text/counts.ts';
import { formatDollars } from '../domain/text/money.ts';

export const getSavings = defineTool({
  name: 'svc_get_savings',
  title: 'Savings of flat-rate plans',
  description:
    "Savings of flat-rate plans: retail cost of the synced sessions that they cover, minus what the plans cost for the same time. Status is Saving, Below Breakeven or No Usage. Give a day, week or month of the workspace's time zone (period and a date in it; default: this month). Usage on this machine that was never synced is not included: see svc_get_local_claude_code_usage.",
  input: savingsInput,
  output: savings,
  hints: { readOnly: true, idempotent: true, zone: 'workspace' },
  needsFiles: false,
  run({ period, date }, { client, signal }) {
    checkDate(date);
    return client.call('GET /api/mcp/savings', { query: { period, date }, signal });
  },
  markdown(report) {
    const { status, retailCost, subscriptionCost, netSavings, fullPeriodCost, inProgress, uncovered } = report;
    return page(
      `**${status}: ${formatDollars(netSavings)}** (${savingsSpan(report)})`,
      `${costText({ ...report, cost: retailCost })} at retail − ${formatDollars(subscriptionCost)} for plans${inProgress ? ` (${formatDollars(fullPeriodCost)} for the whole period)` : ''}. ${cell(report.proration)}`,
      providerTable(report),
      subscriptionTable(report),
      (uncovered.calls > 0 || uncovered.unpricedUsage) &&
        `${costText(uncovered)} for ${formatCount(uncovered.calls)} calls of synced sessions is not covered by a plan and counts as money owed.`,
      uncertaintyNotes(report),
    );
  },
});

function providerTable({ providers }: SavingsShape): string {
  if (providers.length < 2) return '';
  return table(
    ['Provider', 'Status', '>Retail', '>Plans', '>Savings', '>Calls'],
    providers.map((one) => [
      one.provider,
      one.status,
      formatDollars(one.retailCost),
      formatDollars(one.subscriptionCost),
      formatDollars(one.netSavings),
      formatCount(one.calls),
    ]),
  );
}

function subscriptionTable({ providers }: SavingsShape): string {
  const rows = providers.flatMap(({ subscriptions }) => subscriptions);
  if (rows.length === 0) return 'No subscription in this period. To add one: tollbook subscriptions add --help';
  return table(
    ['Plan', 'Provider', '>A month', '>Seats', '>So far', '>Whole period'],
    rows.map(({ name, provider, monthlyCost, seats, cost, fullPeriodCost }) => [
      name,
      provider,
      formatDollars(monthlyCost),
      formatCount(seats),
      formatDollars(cost),
      formatDollars(fullPeriodCost),
    ]),
  );
}
