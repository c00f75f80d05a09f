import { basename } from 'node:path';
import type { BacktestShape } from '../contract/anomalies.ts';
import { backtest } from '../domain/anomaly/detect.ts';
import { readSeries } from '../domain/anomaly/read-series.ts';
import { type DetectSettings, SENSITIVITIES, type SpendSeries } from '../domain/anomaly/series.ts';
import { backtestSentence, episodeView } from '../domain/alerts/finding-view.ts';
import { parseUsd, usdFromNano } from '../domain/money/money.ts';
import { toIso, readPeriod } from '../domain/time/period.ts';
import { parseTimeZone } from '../domain/time/time-zone.ts';
import { renderBacktest } from './anomalies-text.ts';
import { terminalLayout, type CommandContext } from './cli.ts';
import type { Client } from './client.ts';
import type { CommonOptions } from './common-options.ts';
import type { CommandTerminal } from './terminal.ts';
import { readText } from './read-text.ts';
import { HOUR_MS } from '../domain/time/units.ts';

export interface AnomaliesOptions extends CommonOptions {
  readonly backtest?: boolean;
  readonly from?: string;
  readonly to?: string;
  readonly file?: string;
  readonly timeZone?: string;
  readonly sensitivity?: string;
  readonly minimum?: string;
}

const STANDARD_INPUT = '-';

/** Of the book's own past. */
export async function showBacktest(
  client: Client,
  { from: startDate, to: endDate }: AnomaliesOptions,
  print: CommandContext['print'],
): Promise<void> {
  print(await client.get<BacktestShape>('/api/mcp/anomalies/backtest', { startDate, endDate }), renderBacktest);
}

/** Of a file of hourly costs: nothing else is read, no service is asked. */
export async function showFileBacktest(
  path: string,
  options: AnomaliesOptions,
  terminal: CommandTerminal,
): Promise<void> {
  const text = path === STANDARD_INPUT ? await terminal.readIn() : readText(path);
  const report = backtestFile(text, path, options);
  terminal.out(`${options.json ? JSON.stringify(report) : renderBacktest(report, terminalLayout(terminal))}\n`);
}

function backtestFile(text: string, path: string, options: AnomaliesOptions): BacktestShape {
  const series = readSeries(text, path === STANDARD_INPUT ? 'standard input' : basename(path));
  const [first, last] = [series.hours[0]?.hour ?? 0, series.hours.at(-1)?.hour ?? 0];
  const since = first;
  const end = last + HOUR_MS;
  const asked = readPeriod(options.from ?? toIso(since), options.to ?? toIso(end), end);
  const period = { start: Math.max(asked.start, since), end: Math.min(asked.end, end) };
  const settings = readBacktestSettings(options);
  const timeZone = options.timeZone === undefined ? 'UTC' : parseTimeZone(options.timeZone);
  const input = { series: [series], timeZone, now: period.end, since, settings };
  const episodes = period.end > period.start ? backtest(input, period.start, period.end) : [];
  return {
    period: { start: toIso(period.start), end: toIso(period.end) },
    settings: { sensitivity: settings.sensitivity, minExcessUsd: usdFromNano(settings.minExcessNano) },
    message: backtestSentence(episodes.length, period, first) + (isDaily(series) ? DAILY : ''),
    episodes: episodes.toSorted((a, b) => a.openedAt - b.openedAt).map(episodeView),
  };
}

const DAILY = ' The file has one line a day: what is said of an hour is meant of its day.';

/** Days of 23 hours too. */
function isDaily({ hours }: SpendSeries): boolean {
  return (
    hours.length > 1 && hours.every(({ hour }, at) => at === 0 || hour - (hours[at - 1]?.hour ?? 0) >= 23 * HOUR_MS)
  );
}

function readBacktestSettings({ sensitivity: word, minimum }: AnomaliesOptions): DetectSettings {
  const sensitivity = SENSITIVITIES.find((known) => known === word) ?? 'normal';
  return { sensitivity, minExcessNano: parseUsd(minimum ?? '1') };
}
