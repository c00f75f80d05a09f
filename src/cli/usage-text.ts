import { PLANS } from '../domain/sessions/plan.ts';
import { type UsageBlock, forecastBlock } from '../sessions/reports/blocks.ts';
import { localDate, localMinute } from '../sessions/reports/local-date.ts';
import type { LocalReport } from '../sessions/reports/local-report.ts';
import type { PlanReport } from '../sessions/reports/plan-report.ts';
import { numberTable } from './number-table.ts';
import { assistantColumns, usageColumns } from './usage-columns.ts';
import { SOURCE_TITLES } from '../domain/text/assistants.ts';
import { formatCents } from '../domain/text/money.ts';
import { describeTimeLeft } from '../domain/text/durations.ts';
import { shortCount } from '../domain/text/counts.ts';

/** A report as a table, its sum under it, then what is to say of open blocks and of the plan. */
export function usageText(report: LocalReport, width: number): string {
  const parts = [numberTable(usageColumns(report), width)];
  if (report.by !== 'assistant' && report.assistants.length > 0)
    parts.push(numberTable(assistantColumns(report), width));
  for (const block of report.blocks) parts.push(...openBlock(block, report));
  if (report.plan) parts.push(planText(report.plan, report.timeZone));
  return parts.join('\n\n');
}

function openBlock(block: UsageBlock, { now, timeZone }: LocalReport): string[] {
  const burn = forecastBlock(block, now);
  if (!burn) return [];
  const until = localMinute(block.end, timeZone).slice(-5);
  const ends = `The open block of ${SOURCE_TITLES[block.source]} ends at ${until}, in ${describeTimeLeft(burn.left)}.`;
  if (!burn.rate) return [ends];
  const { tokensPerMinute, costPerHour, projectedTokens, projectedCost } = burn.rate;
  const pace = [`${shortCount(tokensPerMinute, 1_000)} tokens a minute`];
  const outlook = [`${shortCount(projectedTokens, 1_000)} tokens`];
  if (costPerHour !== null) pace.push(`${formatCents(costPerHour)} an hour`);
  if (projectedCost !== null) outlook.push(formatCents(projectedCost));
  return [`${ends}\nPace: ${pace.join(', ')}. Forecast at its end: ${outlook.join(', ')}.`];
}

function planText(report: PlanReport, timeZone: string): string {
  const { plan, period, days, cost, retail, savings, status, totals } = report;
  const { title, usdPerMonth } = PLANS[plan];
  const range = `${localDate(period.start, timeZone)} to ${localDate(period.end - 1, timeZone)}`;
  const length = `${Number(days.toFixed(1))} ${days === 1 ? 'day' : 'days'}`;
  const price = `${title}, $${usdPerMonth} a month, is ${formatCents(cost)} for ${length}, ${range}.`;
  if (status === 'No Usage') return `${price}\nNo covered usage in that period.`;
  const usage = `${price}\nAt list prices that usage costs ${formatCents(retail)}${totals.unpricedCalls > 0 ? ' or more' : ''}`;
  if (savings <= 0n) return `${usage}: ${formatCents(-savings)} less than the plan.`;
  return `${usage}: the plan saves ${formatCents(savings)}.\n${paidFor(report, timeZone)}`;
}

function paidFor({ breakEvenDay, ratio }: PlanReport, timeZone: string): string {
  const day = breakEvenDay === null ? '' : ` on ${localDate(breakEvenDay, timeZone)}`;
  const times = ratio === null ? '' : ` (${ratio.toFixed(ratio < 10 ? 1 : 0)} times its price by the end)`;
  return `It had paid for itself${day}${times}.`;
}
