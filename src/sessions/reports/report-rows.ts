import { usdFromNano, type WholeAmount } from '../../domain/money/money.ts';
import { toIso } from '../../domain/time/period.ts';
import { PLANS } from '../../domain/sessions/plan.ts';
import { type CsvCell, csvLine } from '../../domain/text/csv.ts';
import { type UsageBlock, forecastBlock } from './blocks.ts';
import type { UsageGroup } from './groups.ts';
import { isoWeek, localDate } from './local-date.ts';
import type { LocalReport } from './local-report.ts';
import type { PlanReport } from './plan-report.ts';
import type { LocalTotals } from './model-use.ts';

type ReportRow = Readonly<Record<string, CsvCell | readonly string[]>>;

/** Report as JSON: money in USD, null for unknown, instants in UTC, days in the report's time zone. */
export interface ReportJson {
  readonly totals: ReportRow;
  readonly rows: readonly ReportRow[];
  /** Only with a plan. */
  readonly savings?: ReportRow;
}

export function reportJson(report: LocalReport): ReportJson {
  return {
    totals: totalsRow(report.totals),
    rows: reportRows(report),
    ...(report.plan && { savings: savingsRow(report.plan, report.timeZone) }),
  };
}

/** Formats a report as CSV with a header (RFC 4180). Several models are in one cell, separated by spaces. */
export function reportCsv(report: LocalReport): string {
  const rows = reportRows(report);
  const [first] = rows;
  if (!first) return '';
  return [Object.keys(first), ...rows.map((row) => Object.values(row).map(toCell))].map(csvLine).join('');
}

function toCell(value: CsvCell | readonly string[]): CsvCell {
  return typeof value === 'object' && value !== null ? value.join(' ') : value;
}

function reportRows({ by, groups, blocks, timeZone, now }: LocalReport): ReportRow[] {
  if (by === 'blocks') return blocks.map((block) => blockRow(block, now));
  const named = NAME_FIELDS[by];
  return groups.map((group) => ({ ...named(group, timeZone), ...totalsRow(group.totals), models: group.models }));
}

function totalsRow(totals: LocalTotals): ReportRow {
  return {
    calls: totals.calls,
    inputTokens: totals.inputTokens,
    outputTokens: totals.outputTokens,
    cacheReadTokens: totals.cacheReadTokens,
    cacheCreationTokens: totals.cacheCreationTokens,
    cost: usdOrNull(totals.cost),
    unpricedCalls: totals.unpricedCalls,
  };
}

function usdOrNull(nano: WholeAmount | null): number | null {
  return nano === null ? null : usdFromNano(nano);
}

const NAME_FIELDS: Readonly<
  Record<Exclude<LocalReport['by'], 'blocks'>, (group: UsageGroup, timeZone: string) => ReportRow>
> = {
  daily: (group, timeZone) => ({ date: firstDay(group, timeZone) }),
  weekly: (group, timeZone) => ({
    week: isoWeek(group.first, timeZone),
    from: firstDay(group, timeZone),
    to: localDate((group.period?.end ?? 1) - 1, timeZone),
  }),
  monthly: (group, timeZone) => ({ month: firstDay(group, timeZone).slice(0, 7) }),
  session: (group) => ({
    sessionId: group.sessionId ?? '',
    source: group.source ?? '',
    project: group.project ?? null,
    ...useTimes(group),
  }),
  model: ({ model = '', source = '' }) => ({ model, source }),
  assistant: (group) => ({ source: group.source ?? '', sessions: group.sessions, ...useTimes(group) }),
  project: (group) => ({ project: group.project ?? null, sessions: group.sessions, ...useTimes(group) }),
};

function firstDay({ period }: UsageGroup, timeZone: string): string {
  return localDate(period?.start ?? 0, timeZone);
}

function useTimes({ first, last }: UsageGroup | UsageBlock): ReportRow {
  return { firstUse: toIso(first), lastUse: toIso(last) };
}

function blockRow(block: UsageBlock, now: number): ReportRow {
  const burn = forecastBlock(block, now);
  const rate = burn?.rate;
  return {
    source: block.source,
    start: toIso(block.start),
    end: toIso(block.end),
    ...useTimes(block),
    gapMinutes: minutes(block.gapBefore),
    active: burn !== null,
    minutesLeft: minutes(burn?.left ?? null),
    tokensPerMinute: rate?.tokensPerMinute ?? null,
    costPerHour: usdOrNull(rate?.costPerHour ?? null),
    projectedTokens: rate?.projectedTokens ?? null,
    projectedCost: usdOrNull(rate?.projectedCost ?? null),
    ...totalsRow(block.totals),
    models: block.models,
  };
}

function minutes(ms: number | null): number | null {
  return ms === null ? null : Math.floor(ms / 60_000);
}

function savingsRow(report: PlanReport, timeZone: string): ReportRow {
  const { plan, period, days, cost, retail, savings, ratio, status, breakEvenDay, totals } = report;
  return {
    plan,
    usdPerMonth: PLANS[plan].usdPerMonth,
    start: toIso(period.start),
    end: toIso(period.end),
    days,
    planCost: usdFromNano(cost),
    retailCost: usdFromNano(retail),
    savings: Number(`${savings}e-9`),
    ratio,
    status,
    breakEvenDay: breakEvenDay === null ? null : localDate(breakEvenDay, timeZone),
    unpricedCalls: totals.unpricedCalls,
  };
}
