import type { Command } from 'commander';
import type { Config } from '../config.ts';
import { TollbookError } from '../domain/errors.ts';
import { usdFromNano } from '../domain/money/money.ts';
import { countNoun, formatCount } from '../domain/text/counts.ts';
import { describeDuration } from '../domain/text/durations.ts';
import { formatUsd } from '../domain/text/money.ts';
import type { CliEnvironment, TextLayout } from './cli.ts';
import { terminalLayout } from './cli.ts';
import { progressLine } from './progress-line.ts';
import { table } from './table.ts';

interface MoveCommandOptions {
  readonly to?: string;
  readonly entriesTo?: string | true;
  readonly dryRun?: boolean;
  readonly cancel?: boolean;
  readonly json?: boolean;
}

const SECOND_MS = 1_000;
const MEGABYTE = 1_000_000;

export function moveCommand(program: Command, cli: CliEnvironment): void {
  program
    .command('move')
    .description('move the ledger of the data folder to PostgreSQL, or its calls to ClickHouse')
    .option('--to <address>', 'address of the new database (default: SVC_DATABASE_URL)')
    .option('--entries-to [address]', 'move calls from PostgreSQL to ClickHouse (default: SVC_CLICKHOUSE_URL)')
    .option('--dry-run', 'only show what would be moved')
    .option('--cancel', 'use the ledger again that was to be moved')
    .option('--json', 'print JSON')
    .action(async (options: MoveCommandOptions) => {
      const { terminal } = cli;
      const { value, text } = await runMove(options, cli);
      terminal.out(`${options.json ? JSON.stringify(value) : text}\n`);
    });
}

interface MoveOutput {
  readonly value: object;
  readonly text: string;
}

async function runMove(options: MoveCommandOptions, cli: CliEnvironment): Promise<MoveOutput> {
  const config = cli.config();
  if (options.entriesTo !== undefined) return await runMoveOfEntries(options.entriesTo, options, cli);
  // Loaded only here: it loads the whole ledger.
  const { cancelMove, moveLedger, planMove } = await import('../ledger/move-ledger.ts');
  if (options.cancel) {
    cancelMove(config, cli.clock);
    return { value: { canceled: true }, text: CANCELED };
  }
  if (options.dryRun) return showPlan(planMove(config), terminalLayout(cli));
  const { createLog } = await import('../lib/log.ts');
  const log = createLog({ level: 'warn', destination: process.stderr });
  const databaseUrl = requireAddress(options, config);
  return await showProgress(cli, NEXT_AFTER_MOVE, (onProgress) =>
    moveLedger({ config: { ...config, databaseUrl }, clock: cli.clock, log, onProgress }),
  ).catch((error: unknown) => {
    throw options.to === undefined ? error : nameOption(error);
  });
}

/** Names the option in an error about the address, in place of the setting. */
function nameOption(error: unknown): unknown {
  const [setting, option] = ['SVC_DATABASE_URL', '--to'];
  if (!(error instanceof TollbookError) || error.param !== setting) return error;
  return new TollbookError(error.type, error.message.replace(setting, option), option);
}

async function runMoveOfEntries(
  address: string | true,
  { cancel, dryRun }: MoveCommandOptions,
  cli: CliEnvironment,
): Promise<MoveOutput> {
  const { databaseUrl, clickhouseUrl } = cli.config();
  const to = address === true ? clickhouseUrl : address;
  if (databaseUrl === null) throw needed('Set SVC_DATABASE_URL to the address of the ledger in PostgreSQL.');
  const { cancelMoveOfEntries, moveEntries, planEntriesMove } = await import('../storage/move/move-entries.ts');
  if (cancel) {
    await cancelMoveOfEntries(databaseUrl);
    return { value: { canceled: true }, text: 'The calls in PostgreSQL are in use again.' };
  }
  if (dryRun) return showEntriesPlan(await planEntriesMove(databaseUrl));
  if (to === null) throw needed('Set SVC_CLICKHOUSE_URL to the address of an empty database of ClickHouse.');
  return await showProgress(cli, NEXT_AFTER_ENTRIES, (onProgress) =>
    moveEntries({ databaseUrl, clickhouseUrl: to, clock: cli.clock, onProgress }),
  );
}

async function showProgress(
  cli: CliEnvironment,
  next: string,
  work: (onProgress: (done: MoveStep) => void) => Promise<MovedRows>,
): Promise<MoveOutput> {
  const began = performance.now();
  const progress = progressLine(cli.terminal, progressText(began));
  const moved = await work(progress.show).finally(progress.clear);
  return showMoved(moved, (performance.now() - began) / SECOND_MS, terminalLayout(cli), next);
}

function needed(sentence: string): TollbookError {
  return new TollbookError('invalid', sentence);
}

function requireAddress({ to }: MoveCommandOptions, { databaseUrl }: Config): string {
  const address = to ?? databaseUrl;
  if (address !== null) return address;
  throw new TollbookError(
    'invalid',
    'Name the new database: set SVC_DATABASE_URL, or write --to postgres://user@host:5432/name.',
  );
}

interface MoveStep {
  readonly step: 'copy' | 'compare';
  readonly table: string;
  readonly rows: number;
  readonly ofRows: number;
}

const STEP_NAMES = { copy: 'Copying', compare: 'Comparing' } as const;

/** Returns a text for the state of each step: rows, their rate, and the time that is left. */
function progressText(began: number): (done: MoveStep) => string {
  let step: MoveStep['step'] = 'copy';
  let [since, first] = [began, 0];
  return (done) => {
    if (done.step !== step) [step, since, first] = [done.step, performance.now(), 0];
    // Rows of an earlier run took no time.
    first ||= done.rows;
    const perMs = (done.rows - first) / (performance.now() - since);
    const left = perMs > 0 ? `, ${describeDuration((done.ofRows - done.rows) / perMs)} left` : '';
    const rate = perMs > 0 ? `, ${formatCount(Math.round(perMs * SECOND_MS))} rows/s` : '';
    return `${STEP_NAMES[step]} ${done.table}: ${formatCount(done.rows)} of ${formatCount(done.ofRows)} rows${rate}${left}`;
  };
}

interface MonthOfCalls {
  readonly month: string;
  readonly calls: bigint;
  readonly cost: bigint;
  readonly tokens: bigint;
}

interface TableRows {
  readonly name: string;
  readonly rows: number;
}

function countAllRows(tables: readonly TableRows[]): number {
  return tables.reduce((sum, { rows }) => sum + rows, 0);
}

function monthValues(months: readonly MonthOfCalls[]): object[] {
  return months.map(({ month, calls, cost, tokens }) => ({
    month,
    calls: Number(calls),
    cost: usdFromNano(cost),
    tokens: Number(tokens),
  }));
}

function monthTable(months: readonly MonthOfCalls[], { width }: TextLayout): string {
  const rows = months.map(({ month, calls, cost, tokens }) => [
    month,
    formatCount(calls),
    formatUsd(cost),
    formatCount(tokens),
  ]);
  return table(['MONTH', 'CALLS', 'COST', 'TOKENS'], rows, width);
}

function showPlan(
  { bytes, tables, months }: { bytes: number; tables: readonly TableRows[]; months: readonly MonthOfCalls[] },
  paper: TextLayout,
): MoveOutput {
  const filled = tables.filter(({ rows }) => rows > 0).map(({ name, rows }) => [name, formatCount(rows)]);
  const text = [
    `${countNoun(countAllRows(tables), 'row')}, ${formatCount(Math.ceil(bytes / MEGABYTE))} MB. Nothing was changed.`,
    '',
    monthTable(months, paper),
    '',
    table(['TABLE', 'ROWS'], filled, paper.width),
  ].join('\n');
  return { value: { bytes, tables, months: monthValues(months) }, text };
}

function showEntriesPlan(plan: { readonly calls: number; readonly bytes: number }): MoveOutput {
  const size = `${formatCount(Math.ceil(plan.bytes / MEGABYTE))} MB`;
  return { value: plan, text: `${countNoun(plan.calls, 'call')}, ${size} in PostgreSQL. Nothing was changed.` };
}

interface MovedRows {
  readonly tables: readonly (TableRows & { readonly checksum: string })[];
  readonly months: readonly MonthOfCalls[];
}

function showMoved({ tables, months }: MovedRows, seconds: number, paper: TextLayout, next: string): MoveOutput {
  const rows = countAllRows(tables);
  const text = [
    `Moved ${countNoun(rows, 'row')} of ${countNoun(tables.length, 'table')} in ${describeDuration(seconds * SECOND_MS)}.`,
    'Both databases have the same checksum of each table.',
    '',
    monthTable(months, paper),
    '',
    next,
  ].join('\n');
  return { value: { rows, seconds: Math.round(seconds * 10) / 10, tables, months: monthValues(months) }, text };
}

const NEXT_AFTER_MOVE = [
  'Start the service on the same data folder, with SVC_DATABASE_URL and SVC_SECRET',
  'set as for this command. Keep ledger.db until you have a copy of the database.',
].join('\n');

const NEXT_AFTER_ENTRIES = 'Set SVC_CLICKHOUSE_URL for all nodes, and start them.';

const CANCELED = [
  "The ledger in the data folder is in use again. Don't use the new database:",
  'it lacks calls that are recorded here from now on, and this one those there.',
].join('\n');
