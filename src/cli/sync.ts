import { existsSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { readConfig, readToolSettings, type ToolSettings } from '../config.ts';
import { type ErrorType, TollbookError } from '../domain/errors.ts';
import { LOCAL_SOURCES, type LocalSource, sourceSlug } from '../domain/sessions/local-call.ts';
import { usdFromNano } from '../domain/money/money.ts';
import type { SessionRecord } from '../domain/sessions/session-record.ts';
import { controlSocketPath } from '../lib/fs/socket-path.ts';
import { prepareUpload, type PreparedUpload } from '../sessions/uploads/prepare-upload.ts';
import { uploadPrepared, type UploadResult } from '../sessions/uploads/upload.ts';
import { VERSION } from '../version.ts';
import type { CliEnvironment } from './cli.ts';
import { readSource } from './source-name.ts';
import { countedText, progressLine, sessionFilesText } from './progress-line.ts';
import type { CommandTerminal } from './terminal.ts';
import { SOURCE_TITLES } from '../domain/text/assistants.ts';
import { countNoun } from '../domain/text/counts.ts';
import { formatDollars } from '../domain/text/money.ts';

interface SyncOptions {
  readonly dryRun?: boolean;
  readonly preview: number;
  readonly maxAgeHours: number;
  readonly fileList?: boolean;
  readonly json?: boolean;
}

const NO_SESSIONS = 'No session files were found. "tollbook tools --what-we-read" lists the searched folders.';
const MAX_AGE_HOURS = 720;
const PREVIEW = 3;
/** A hundred years. */
const HOURS_MAX = 876_000;
const MAKE_TOKEN = 'tollbook tokens create --name sync --scope sync:write';
const TOKEN_ERRORS: readonly ErrorType[] = ['unknown_secret', 'wrong_secret', 'missing_scope'];
const PREVIEW_MAX = 1_000;

/** Reads session files, and uploads what `--dry-run` shows: hashes, names of models, numbers. */
export function sync(program: Command, cli: CliEnvironment): void {
  program
    .command('sync')
    .argument('[assistant]', `one of ${LOCAL_SOURCES.map(sourceSlug).join(', ')} (default: all that are found)`)
    .description('upload usage of local sessions: hashed ids, models, numbers; no paths, prompts or names')
    .option('--dry-run', 'show what would be uploaded; sends nothing and needs no access token')
    .option('--preview <n>', 'records shown by a dry run', wholeNumber(0, PREVIEW_MAX), PREVIEW)
    .option(
      '--max-age-hours <n>',
      'only sessions modified within this many hours',
      wholeNumber(1, HOURS_MAX),
      MAX_AGE_HOURS,
    )
    .option('--file-list', 'list the files read; file names are never uploaded')
    .option('--json', 'print JSON')
    .action((assistant: string | undefined, options: SyncOptions) =>
      assistant === undefined ? runAll(options, cli) : runOne(readSource(assistant), options, cli),
    );
}

async function runOne(source: LocalSource, options: SyncOptions, cli: CliEnvironment): Promise<void> {
  const { terminal } = cli;
  const settings = readToolSettings(terminal.env);
  const key = options.dryRun ? null : requireKey([source], settings, terminal);
  const prepared = await prepareSource(source, key === null, options, cli);
  const view = await complete(prepared, key, settings, options, terminal);
  terminal.out(`${options.json ? JSON.stringify(view) : renderUpload(view, settings.apiUrl)}\n`);
}

/** Uploads the sessions of every assistant that has some on this machine. */
async function runAll(options: SyncOptions, cli: CliEnvironment): Promise<void> {
  const { terminal } = cli;
  const settings = readToolSettings(terminal.env);
  const sources = LOCAL_SOURCES.filter((source) => options.dryRun || settings.codexSync || source !== 'codex');
  const key = options.dryRun ? null : requireKey(sources, settings, terminal);
  const views: SyncView[] = [];
  for (const source of sources) {
    const prepared = await prepareSource(source, key === null, options, cli);
    if (!prepared.isFound) continue;
    const view = await complete(prepared, key, settings, options, terminal);
    views.push(view);
    if (!options.json) terminal.out(`${SOURCE_TITLES[source]}: ${renderUpload(view, settings.apiUrl)}\n`);
  }
  if (options.json) terminal.out(`${JSON.stringify(views)}\n`);
  else if (views.length === 0) terminal.out(`${NO_SESSIONS}\n`);
}

async function prepareSource(
  source: LocalSource,
  dryRun: boolean,
  { maxAgeHours }: SyncOptions,
  { terminal, clock }: CliEnvironment,
): Promise<PreparedUpload> {
  const { apiUrl, apiKey } = readToolSettings(terminal.env);
  const progress = progressLine(terminal, sessionFilesText());
  return await prepareUpload({
    source,
    env: terminal.env,
    version: VERSION,
    maxAgeHours,
    now: clock(),
    service: apiKey === null ? null : { apiUrl, apiKey },
    dryRun,
    onProgress: progress.show,
  }).finally(progress.clear);
}

async function complete(
  prepared: PreparedUpload,
  key: string | null,
  { apiUrl }: ToolSettings,
  options: SyncOptions,
  terminal: CommandTerminal,
): Promise<SyncView> {
  for (const warning of prepared.warnings) terminal.err(`Note: ${warning}\n`);
  return uploadSummary(prepared, key === null ? null : await upload(prepared, apiUrl, key, terminal), options);
}

/** Refuses before any file is read. */
function requireKey(
  sources: readonly LocalSource[],
  { apiKey, apiUrl, codexSync }: ToolSettings,
  terminal: CommandTerminal,
): string {
  if (sources.includes('codex') && !codexSync)
    throw new TollbookError(
      'unprocessable',
      'SVC_CODEX_AUTO_SYNC is false, so Codex sessions are not uploaded. Unset it, or use --dry-run.',
      'SVC_CODEX_AUTO_SYNC',
    );
  if (apiKey !== null) return apiKey;
  const here = existsSync(controlSocketPath(readConfig(terminal.env).dataDir))
    ? 'Create one'
    : 'Create one where the service runs';
  throw new TollbookError(
    'missing_secret',
    `No access token is set. ${here} with "${MAKE_TOKEN}", and set SVC_API_KEY to it (and SVC_API_URL, if the service is not at ${apiUrl}). Use --dry-run to see what would be uploaded.`,
    'SVC_API_KEY',
  );
}

async function upload(
  prepared: PreparedUpload,
  apiUrl: string,
  apiKey: string,
  terminal: CommandTerminal,
): Promise<UploadResult> {
  const progress = progressLine(terminal, countedText('Uploading', 'records'));
  return await uploadPrepared(prepared, terminal.env, {
    apiUrl,
    apiKey,
    onProgress: ({ records, ofRecords }) => progress.show({ done: records, of: ofRecords }),
  })
    .finally(progress.clear)
    .catch((error: unknown) => {
      if (!(error instanceof TollbookError) || !TOKEN_ERRORS.includes(error.type)) throw error;
      const advice = `It is read from SVC_API_KEY; create one where the service runs with "${MAKE_TOKEN}".`;
      throw new TollbookError(error.type, `${error.message} ${advice}`, 'SVC_API_KEY');
    });
}

/** Output of `--json`. */
interface SyncView {
  readonly source: LocalSource;
  readonly dryRun: boolean;
  readonly sessionsParsed: number;
  readonly records: number;
  readonly calls: number;
  /** US dollars at list prices. */
  readonly cost: number;
  readonly unpricedCalls?: number;
  readonly preview?: readonly SessionRecord[];
  readonly uploaded?: UploadResult;
  readonly files?: readonly string[];
}

function uploadSummary(prepared: PreparedUpload, uploaded: UploadResult | null, options: SyncOptions): SyncView {
  const { source, sessions, records, calls, cost, unpricedCalls, files } = prepared;
  return {
    source,
    dryRun: uploaded === null,
    sessionsParsed: sessions,
    records: records.length,
    calls,
    cost: usdFromNano(cost),
    ...(unpricedCalls > 0 && { unpricedCalls }),
    ...(uploaded ? { uploaded } : { preview: records.slice(0, options.preview) }),
    ...(options.fileList && { files }),
  };
}

function renderUpload(view: SyncView, apiUrl: string): string {
  const { sessionsParsed, records, calls, cost, unpricedCalls = 0, uploaded, preview = [], files = [] } = view;
  const found = `${countNoun(records, 'record')} of ${countNoun(sessionsParsed, 'session')}`;
  const what = `${found}: ${countNoun(calls, 'call')}, ${formatDollars(cost)} at list prices`;
  const did = uploaded
    ? [
        `Uploaded ${what}.`,
        `${apiUrl} counts ${formatDollars(uploaded.cost)} of it in addition to calls through the gateway.`,
      ]
    : [`Would upload ${what}. Nothing was sent.`];
  return [
    ...did,
    ...(unpricedCalls > 0 ? [`${countNoun(unpricedCalls, 'call')} without a price, not in the cost.`] : []),
    ...preview.map((record) => JSON.stringify(record, null, 2)),
    ...(files.length > 0 ? ['Files read:', ...files] : []),
  ].join('\n');
}

function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}
