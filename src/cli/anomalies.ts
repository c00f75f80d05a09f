import { type Command, Option } from 'commander';
import type { AnomalyReportShape, AnomalyShape, BacktestShape } from '../contract/anomalies.ts';
import {
  type DetectionSensitivity,
  type DetectSettings,
  SENSITIVITIES,
  type SpendSeries,
} from '../domain/anomaly/series.ts';
import { TollbookError } from '../domain/errors.ts';
import {
  type CommandContext,
  type CliEnvironment,
  type CommonOptions,
  subcommand,
  terminalLayout,
  type TextLayout,
  withContext,
} from './cli.ts';
import { parseUsd, readUsd, usdFromNano } from '../domain/money/money.ts';
import { plainText, tableWithNotes } from './table.ts';
import { textLines } from './text-lines.ts';
import { HOUR_MS } from '../domain/time/units.ts';
import { basename } from 'node:path';
import { backtest } from '../domain/anomaly/detect.ts';
import { readSeries } from '../domain/anomaly/read-series.ts';
import { backtestSentence, episodeView } from '../domain/alerts/finding-view.ts';
import { readPeriod, toIso } from '../domain/time/period.ts';
import { parseTimeZone } from '../domain/time/time-zone.ts';
import type { Client } from './client.ts';
import { readText } from './read-text.ts';
import { formatCents } from '../domain/text/money.ts';
import { formatDateTime } from '../domain/text/dates.ts';

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

/** Runs a backtest over the past of the ledger. */
export async function showBacktest(
  client: Client,
  { from: startDate, to: endDate }: AnomaliesOptions,
  print: CommandContext['print'],
): Promise<void> {
  print(await client.call('GET /api/mcp/anomalies/backtest', { query: { startDate, endDate } }), renderBacktest);
}

/** Runs a backtest over a file of hourly costs, without a service. */
export async function showFileBacktest(path: string, options: AnomaliesOptions, cli: CliEnvironment): Promise<void> {
  const { terminal } = cli;
  const text = path === STANDARD_INPUT ? await terminal.readIn() : readText(path);
  const report = backtestFile(text, path, options);
  terminal.out(`${options.json ? JSON.stringify(report) : renderBacktest(report, terminalLayout(cli))}\n`);
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

const DAILY = ' The file has one line per day, so hours in the messages mean days.';

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

/** Series that can't be judged yet are counted beyond so many. */
const YOUNG_MAX = 10;

export function renderAnomalies({ message, anomalies: unusual, series }: AnomalyReportShape): string {
  const parts = [...textLines(message), ...unusual.flatMap((anomaly) => ['', ...paragraph(anomaly)])];
  const young = series.filter(({ verdict }) => verdict === 'not_enough_history').map(({ name }) => name);
  if (young.length > 0) {
    const more = young.length > YOUNG_MAX ? ` and ${young.length - YOUNG_MAX} more` : '';
    parts.push('', ...textLines(`Not enough history to judge: ${young.slice(0, YOUNG_MAX).join(', ')}${more}.`));
  }
  return parts.map(plainText).join('\n');
}

function paragraph({ severity, title, message }: AnomalyShape): string[] {
  return [...textLines(`${severity.toUpperCase()}  ${title}`), ...textLines(message).map((line) => `  ${line}`)];
}

export function renderBacktest({ message, episodes, period, settings }: BacktestShape, { width }: TextLayout): string {
  const time = `${minute(period.start)} to ${minute(period.end)} UTC, sensitivity ${settings.sensitivity}`;
  if (episodes.length === 0) return [time, ...textLines(message)].join('\n');
  const rows = episodes.map(({ openedAt, lastAt, severity, opening }) => ({
    cells: [minute(openedAt), lasted(openedAt, lastAt), severity, opening.type],
    notes: () => textLines(opening.message),
  }));
  const shown = tableWithNotes(['FROM UTC', 'LASTED', 'SEVERITY', 'TYPE'], rows, width);
  return [time, ...textLines(message), '', shown].join('\n');
}

function minute(time: string): string {
  return formatDateTime(time, 'UTC');
}

function lasted(from: string, to: string): string {
  return `${Math.max(1, Math.round((Date.parse(to) - Date.parse(from)) / HOUR_MS))} h`;
}

export function anomalies(program: Command, cli: CliEnvironment): void {
  subcommand(program, 'anomalies [settings]', 'show unusual spending')
    .option('--backtest', 'show the alerts of a past period')
    .option('--from <date>', 'start of a backtest (default: 30 days ago)')
    .option('--to <date>', 'end of a backtest (default: now)')
    .option('--file <path>', 'backtest a CSV file with time,cost[,calls,failed]; - = standard input; needs no service')
    .option('--time-zone <name>', 'time zone of the file, for example Europe/Berlin (default: UTC)')
    .addOption(new Option('--sensitivity <word>', 'low, normal or high; with settings: save it').choices(SENSITIVITIES))
    .option('--minimum <usd>', 'ignore less than this above normal (default: 1)')
    .addHelpText('after', '\n`tollbook anomalies settings` shows or changes the sensitivity of the workspace.')
    .action((what: string | undefined, options: AnomaliesOptions) => run(what, options, cli));
}

async function run(what: string | undefined, options: AnomaliesOptions, cli: CliEnvironment): Promise<void> {
  if (what === 'settings') return await showSettings(options, cli);
  if (what !== undefined)
    throw new TollbookError('invalid', `Unknown argument "${what}"; did you mean: tollbook anomalies settings`);
  if (options.file !== undefined && !options.backtest)
    throw new TollbookError('invalid', '--file needs --backtest: tollbook anomalies --backtest --file FILE');
  if (options.file !== undefined) return await showFileBacktest(options.file, options, cli);
  if (options.sensitivity !== undefined || options.minimum !== undefined)
    throw new TollbookError(
      'invalid',
      'To save settings: tollbook anomalies settings --sensitivity WORD --minimum USD',
    );
  await withContext(cli, options, async ({ client, print }) => {
    if (options.backtest) return await showBacktest(client, options, print);
    print(await client.call('GET /api/mcp/anomalies'), renderAnomalies);
  });
}

async function showSettings(options: AnomaliesOptions, cli: CliEnvironment): Promise<void> {
  const { sensitivity, minimum: minExcessUsd } = options;
  const body = { sensitivity: sensitivity as DetectionSensitivity | undefined, minExcessUsd };
  await withContext(cli, options, async ({ client, print }) => {
    const changes = sensitivity !== undefined || minExcessUsd !== undefined;
    const found = changes
      ? await client.call('PATCH /api/manage/detection', { body })
      : await client.call('GET /api/manage/detection');
    print(found, (shown) => {
      const least = formatCents(readUsd(shown.minExcessUsd, 'minimum'));
      return `Sensitivity: ${shown.sensitivity}\nIgnored:     less than ${least} above normal`;
    });
  });
}
