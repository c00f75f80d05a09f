import type { Command } from 'commander';
import type { AlertShape } from '../contract/alerts.ts';
import type { NodeList } from '../contract/installation.ts';
import type { EntryShape } from '../contract/entries.ts';
import type { LimitStanding } from '../contract/limits.ts';
import type { OverviewShape, SpendShape } from '../contract/overview.ts';
import type { PriceCoverage } from '../contract/prices.ts';
import { isPartlyRead } from '../domain/text/batches.ts';
import { callsText, countNoun } from '../domain/text/counts.ts';
import { formatShortTime } from '../domain/text/dates.ts';
import { formatAmount } from '../domain/text/limits.ts';
import { formatDollars } from '../domain/text/money.ts';
import { formatPercent } from '../domain/text/percent.ts';
import { drawBar } from './bar.ts';
import {
  type CliEnvironment,
  type CommandContext,
  type CommonOptions,
  subcommand,
  type TextLayout,
  withContext,
} from './cli.ts';
import type { PaintText, TextTone } from './colors.ts';
import { describeRefusingLimit, readRefusalNames, type RefusalNames } from './refusals.ts';
import { alignLeft, cut, plainText } from './table.ts';

const LIMITS_SHOWN = 5;
const ALERTS_SHOWN = 5;
const ALERTS_READ = 100;
const OPEN_READ = 500;
const BAR_WIDTH = 10;
const ALMOST_USED = 0.8;
/** Seconds. Ended calls are in the ledger within a few. */
const LAG_MAX = 60;
const SEVERITY_TONES: Readonly<Record<AlertShape['severity'], TextTone>> = {
  critical: 'bad',
  warning: 'warning',
  info: 'faint',
};

/** Output of `--json`. */
interface StatusReport {
  readonly overview: Pick<OverviewShape, 'today' | 'month' | 'forecast' | 'timeZone'>;
  /** Limits with the largest used share. */
  readonly limits: readonly LimitStanding[];
  readonly openAlerts: readonly AlertShape[];
  readonly nodes: NodeList['nodes'];
  /** Uncertain batches and background responses of the last 30 days whose end could not be read, newest first. */
  readonly unreadCalls: readonly EntryShape[];
  readonly priceLists: PriceCoverage['priceLists'];
}

export function statusCommand(program: Command, cli: CliEnvironment): void {
  subcommand(
    program,
    'status',
    'show spend and forecast of this month, tightest limits, open alerts and health',
  ).action((options: CommonOptions) =>
    withContext(cli, options, async (context) => {
      const report = await readStatus(context);
      const names = await readRefusalNames(context.client);
      context.print(report, (shown, layout) => renderStatus(shown, names, layout));
    }),
  );
}

async function readStatus({ client }: CommandContext): Promise<StatusReport> {
  const { today, month, forecast, timeZone } = await client.call('GET /api/mcp/usage/overview');
  const { limits } = await client.call('GET /api/manage/limits', { query: { values: '1' } });
  const alerts = await client.call('GET /api/mcp/alerts', { query: { limit: ALERTS_READ } });
  const { nodes } = await client.call('GET /api/manage/nodes');
  const { entries } = await client.call('GET /api/mcp/entries', {
    query: { uncertain: 'true', open: 'true', limit: OPEN_READ },
  });
  const { priceLists } = await client.call('GET /api/mcp/pricing/coverage');
  return {
    overview: { today, month, forecast, timeZone },
    limits: limits.toSorted((a, b) => usedShareOfLimit(b) - usedShareOfLimit(a)).slice(0, LIMITS_SHOWN),
    openAlerts: alerts.filter(({ resolvedAt }) => resolvedAt === null),
    nodes,
    unreadCalls: entries.filter((entry) => entry.settleProblem !== undefined || isPartlyRead(entry)),
    priceLists,
  };
}

function usedShareOfLimit({ counted, held, effectiveAmount }: LimitStanding): number {
  return effectiveAmount === 0 ? 1 : (counted + held) / effectiveAmount;
}

function renderStatus(report: StatusReport, names: RefusalNames, layout: TextLayout): string {
  const { paint } = layout;
  return [
    [paint('strong', 'Spend'), ...spendLines(report.overview)],
    [paint('strong', 'Tightest limits'), ...limitLines(report.limits, names, layout)],
    [paint('strong', 'Open alerts'), ...alertLines(report.openAlerts, layout)],
    [paint('strong', 'Health'), ...healthLines(report, paint)],
  ]
    .map((lines) => lines.join('\n  '))
    .join('\n\n');
}

function spendLines({ today, month, forecast, timeZone }: StatusReport['overview']): string[] {
  const outlook = forecast
    ? `${formatDollars(forecast.expected)} (${formatDollars(forecast.low)} to ${formatDollars(forecast.high)})`
    : 'too few days';
  return [
    `Today     ${spendText(today)}`,
    `Month     ${spendText(month.toDate)}`,
    `Forecast  ${outlook}; the month ends ${formatShortTime(month.end, timeZone)} ${timeZone}`,
  ];
}

/** Marks what the cost lacks, as in `tollbook spend`. */
function spendText({ cost, calls, unpricedCalls = 0, unpricedUsage, uncertainCalls = 0 }: SpendShape): string {
  const lacks = unpricedCalls > 0 || unpricedUsage === true;
  return `${lacks ? '≥ ' : ''}${formatDollars(cost)}${uncertainCalls > 0 ? ' ±' : ''}, ${callsText(calls)}`;
}

/** Describes a limit with its raise. */
function describeStanding({ keys }: RefusalNames, limit: LimitStanding): string {
  const inForce = { ...limit, amount: limit.effectiveAmount };
  return describeRefusingLimit({ keys, limits: new Map([[limit.id, inForce]]) }, limit.id);
}

function limitLines(limits: readonly LimitStanding[], names: RefusalNames, { width, paint }: TextLayout): string[] {
  if (limits.length === 0) return ['none: tollbook limits set --help'];
  return limits.map((limit) => {
    const share = usedShareOfLimit(limit);
    const tone = share >= 1 ? 'bad' : share >= ALMOST_USED ? 'warning' : 'good';
    const used = limit.isPartial ? '?' : formatPercent(share);
    const left = limit.isPartial ? '?' : formatAmount(limit.unit, limit.remaining, 'down');
    const text = `${alignLeft(used, 5)} ${left} left: ${plainText(describeStanding(names, limit))}`;
    return `${paint(tone, alignLeft(drawBar(share, BAR_WIDTH), BAR_WIDTH))} ${cut(text, width - BAR_WIDTH - 3)}`;
  });
}

function alertLines(alerts: readonly AlertShape[], { width, paint }: TextLayout): string[] {
  if (alerts.length === 0) return ['none'];
  const shown = alerts
    .slice(0, ALERTS_SHOWN)
    .map(({ severity, title }) =>
      paint(SEVERITY_TONES[severity], cut(`${alignLeft(severity, 8)} ${plainText(title)}`, width - 2)),
    );
  const more = alerts.length - ALERTS_SHOWN;
  return more > 0 ? [...shown, `${countNoun(more, 'more alert')}: tollbook alerts list`] : shown;
}

function healthLines({ nodes, unreadCalls, priceLists }: StatusReport, paint: PaintText): string[] {
  const lines = nodes.map(({ name, state, lagSeconds, unshippedCalls }) => {
    const isLate = state === 'silent' || lagSeconds > LAG_MAX;
    const text = `Node ${plainText(name)}: ${state}, ledger ${Math.round(lagSeconds)} s behind, ${callsText(unshippedCalls)} waiting`;
    return isLate ? paint('warning', text) : text;
  });
  const age = `Prices: checked ${countNoun(priceLists.ageDays, 'day')} ago`;
  const unread = unreadText(unreadCalls);
  return [
    ...lines,
    ...(unread === null ? [] : [paint('warning', unread)]),
    priceLists.isOld ? paint('warning', age) : age,
  ];
}

function unreadText(calls: readonly EntryShape[]): string | null {
  if (calls.length === 0) return null;
  const count = countNoun(calls.length, 'batch or background response', 'batches or background responses');
  return `${count} not read: tollbook limits resolve`;
}
