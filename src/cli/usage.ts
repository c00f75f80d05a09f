import { setImmediate } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { TollbookError } from '../domain/errors.ts';
import { LOCAL_SOURCES, type LocalSource, PROVIDER_OF_SOURCE, sourceSlug } from '../domain/sessions/local-call.ts';
import { isPlanName, type PlanName, PLANS } from '../domain/sessions/plan.ts';
import { parseTimeZone } from '../domain/time/time-zone.ts';
import { buildLocalReport, type LocalReport, type ReportKind } from '../sessions/reports/local-report.ts';
import { loadLocalUses } from '../sessions/reports/local-usage.ts';
import { ALL_TIME, readRange } from '../sessions/reports/time-range.ts';
import { reportCsv, reportJson } from '../sessions/reports/report-rows.ts';
import { VERSION } from '../version.ts';
import type { CliEnvironment } from './cli.ts';
import { readSource } from './source-name.ts';
import { progressLine, sessionFilesText } from './progress-line.ts';
import type { CommandTerminal } from './terminal.ts';
import { userTimeZone } from './terminal.ts';
import { usageNotes } from './usage-notes.ts';
import { usageText } from './usage-text.ts';

interface UsageOptions {
  readonly weekly?: boolean;
  readonly monthly?: boolean;
  readonly session?: boolean;
  readonly model?: boolean;
  readonly project?: boolean;
  readonly assistant?: boolean;
  readonly blocks?: boolean;
  readonly source?: readonly string[];
  readonly since?: string;
  readonly until?: string;
  readonly zone?: string;
  readonly plan?: string;
  readonly json?: boolean;
  readonly csv?: boolean;
}

const KINDS = {
  daily: 'by day (default)',
  weekly: 'by week, from Monday',
  monthly: 'by month',
  session: 'by session',
  model: 'by model',
  project: 'by project',
  assistant: 'by assistant',
  blocks: 'by five-hour blocks of the plans, with the pace of the current one',
} as const satisfies Record<ReportKind, string>;
const COLUMNS_DEFAULT = 80;

/** Reads session files on this machine, and nothing else: no service, no data folder, no network. */
export function usage(program: Command, cli: CliEnvironment): void {
  const command = program
    .command('usage [assistant]')
    .description('show usage of coding assistants on this machine, at list prices; uploads nothing');
  const kinds = Object.keys(KINDS);
  for (const [name, text] of Object.entries(KINDS))
    command.addOption(new Option(`--${name}`, text).conflicts(kinds.filter((other) => other !== name)));
  command
    .option('--source <name...>', `only these assistants: ${LOCAL_SOURCES.map(sourceSlug).join(', ')}`)
    .option('--since <time>', 'for example 7d, yesterday, monday, 2026-01-31')
    .option('--until <time>', 'last day, or end time')
    .option('--zone <name>', 'time zone of days, for example Europe/Berlin (default: of this machine)')
    .option('--plan <name>', `what a plan saves: ${Object.keys(PLANS).join(', ')}`)
    .addOption(new Option('--json', 'print JSON').conflicts('csv'))
    .option('--csv', 'print CSV')
    .action((assistant: string | undefined, options: UsageOptions) => show(assistant, options, cli));
}

async function show(
  assistant: string | undefined,
  options: UsageOptions,
  { terminal, clock }: CliEnvironment,
): Promise<void> {
  const zone = options.zone === undefined ? undefined : parseTimeZone(options.zone, '--zone');
  const hasRange = options.since !== undefined || options.until !== undefined;
  const range = hasRange
    ? readRange(options.since, options.until, { now: clock(), timeZone: zone ?? userTimeZone(terminal) })
    : ALL_TIME;
  const sources = readSources(assistant, options.source);
  const plan = options.plan === undefined ? null : readPlan(options.plan, sources);
  const by = (Object.keys(KINDS) as ReportKind[]).find((kind) => kind !== 'daily' && options[kind]) ?? 'daily';
  const progress = progressLine(terminal, sessionFilesText());
  const loading = loadLocalUses({ sources, env: terminal.env, version: VERSION, onProgress: progress.show });
  const [{ uses, warnings }, timeZone] = await Promise.all([
    loading.finally(progress.clear),
    // The calendar takes as long to load as some megabytes to read: that is best done when other threads read too.
    zone ?? setImmediate().then(() => userTimeZone(terminal)),
  ]);
  const report = buildLocalReport(uses, { by, timeZone, range, plan, now: clock() });
  terminal.out(print(report, options, terminal));
  for (const note of await usageNotes(report, { uses, warnings, sources, env: terminal.env }))
    terminal.err(`Note: ${note}\n`);
}

function print(report: LocalReport, { json, csv }: UsageOptions, { columns, env }: CommandTerminal): string {
  if (json) return `${JSON.stringify(reportJson(report))}\n`;
  if (csv) return reportCsv(report);
  if (report.totals.calls === 0 && !report.plan) return '';
  return `${usageText(report, Number(env['COLUMNS']) || columns || COLUMNS_DEFAULT)}\n`;
}

function readSources(assistant: string | undefined, names: readonly string[] = []): readonly LocalSource[] {
  const asked = new Set([...(assistant === undefined ? [] : [assistant]), ...names].map(readSource));
  return asked.size === 0 ? LOCAL_SOURCES : LOCAL_SOURCES.filter((source) => asked.has(source));
}

function readPlan(text: string, sources: readonly LocalSource[]): PlanName {
  const name = text.toLowerCase().replaceAll('-', '_');
  if (!isPlanName(name)) {
    const known = Object.keys(PLANS).join(', ');
    throw new TollbookError('invalid', `--plan "${text.slice(0, 40)}" is not a known plan; use ${known}.`, '--plan');
  }
  if (sources.some((source) => PROVIDER_OF_SOURCE[source] === PLANS[name].provider)) return name;
  const { title } = PLANS[name];
  throw new TollbookError(
    'invalid',
    `${title} does not cover that assistant. Use another plan or omit --plan.`,
    '--plan',
  );
}
