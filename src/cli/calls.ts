import { type Command, Option } from 'commander';
import type { EntriesPage, EntryShape } from '../contract/entries.ts';
import { shortCount } from '../domain/text/counts.ts';
import { formatShortTime } from '../domain/text/dates.ts';
import { describeDuration } from '../domain/text/durations.ts';
import { usdColumn } from '../domain/text/money.ts';
import {
  type CliEnvironment,
  type CommandContext,
  type CommonOptions,
  subcommand,
  type TextLayout,
  withContext,
} from './cli.ts';
import { findKeyId } from './key-id.ts';
import { readRefusalNames, refusalTable } from './refusals.ts';
import { alignRight, table, textLength } from './table.ts';
import { readPeriodEnd, readPeriodStart, userTimeZone } from './time-options.ts';

interface CallOptions extends CommonOptions {
  readonly since: string;
  readonly until: string;
  readonly limit: string;
  readonly key?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly session?: string;
  readonly tag?: string;
  readonly minCost?: string;
  readonly failed?: boolean;
  readonly uncertain?: boolean;
  readonly unpriced?: boolean;
  readonly refused?: boolean;
}

/** Filters that refused calls do not have. */
const NOT_OF_REFUSALS = ['model', 'provider', 'tag', 'minCost', 'failed', 'uncertain', 'unpriced'];
const SHORT_FROM = 10_000;

export function callsCommand(program: Command, cli: CliEnvironment): void {
  subcommand(program, 'calls', 'list calls, newest first')
    .option('--since <time>', 'start, for example 1h, yesterday, 2026-01-31', '30d')
    .option('--until <time>', 'end; a day is included', 'now')
    .option('--key <key>', 'only calls of a wrapped key, by id or name')
    .option('--model <name>', 'only calls of a model')
    .option('--provider <id>', 'only calls to a provider')
    .option('--session <name>', 'only calls of a session')
    .option('--tag <key=value>', 'only calls with a tag')
    .option('--min-cost <usd>', 'only calls with at least this known cost')
    .option('--failed', 'only calls that the provider answered with an error')
    .option('--uncertain', 'only calls with uncertain cost')
    .option('--unpriced', 'only calls without a price')
    .addOption(new Option('--refused', 'calls that limits refused').conflicts(NOT_OF_REFUSALS))
    .option('--limit <rows>', 'at most 500', '20')
    .action((options: CallOptions) =>
      withContext(cli, options, (context) => (options.refused ? showRefused : showCalls)(options, context)),
    );
}

async function readCommonQuery({ key, session, since, until, limit }: CallOptions, context: CommandContext) {
  return {
    startDate: readPeriodStart(since, '--since', context),
    endDate: readPeriodEnd(until, '--until', context),
    limit,
    session,
    keyId: key === undefined ? undefined : await findKeyId(context.client, key),
  };
}

async function showRefused(options: CallOptions, context: CommandContext): Promise<void> {
  const { client, print } = context;
  const query = await readCommonQuery(options, context);
  const page = await client.call('GET /api/mcp/refusals', { query });
  const names = await readRefusalNames(client);
  print(page, ({ refusals }, { width }) =>
    refusals.length === 0 ? 'No refused calls.' : refusalTable(refusals, names, width),
  );
}

async function showCalls(options: CallOptions, context: CommandContext): Promise<void> {
  const { client, print, terminal } = context;
  const { model, provider, tag, minCost, failed, uncertain, unpriced } = options;
  const query = {
    ...(await readCommonQuery(options, context)),
    model,
    provider,
    tag,
    minCost,
    ...(failed && { outcome: 'failed' as const }),
    ...(uncertain && { uncertain: 'true' as const }),
    ...(unpriced && { unpriced: 'true' as const }),
  };
  const page = await client.call('GET /api/mcp/entries', { query });
  const keys = await client.call('GET /api/manage/keys');
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  print(page, (shown, layout) => renderCalls(shown, names, userTimeZone(terminal), layout));
}

function renderCalls(
  { entries, nextCursor }: EntriesPage,
  keyNames: ReadonlyMap<string, string>,
  timeZone: string,
  { width, paint }: TextLayout,
): string {
  const more = nextCursor === null ? '' : '\n\nThere are more: raise --limit, or narrow the period.';
  if (entries.length === 0) return nextCursor === null ? 'No calls.' : `No calls among the newest.${more}`;
  const usd = usdColumn(entries.map(({ cost }) => cost));
  const rows = entries.map((entry) => [
    formatShortTime(entry.startedAt, timeZone),
    statusCell(entry),
    entry.model ?? entry.requestedModel ?? '(unknown)',
    keyNames.get(entry.keyId) ?? entry.keyId,
    shortCount(entry.inputTokens, SHORT_FROM),
    shortCount(entry.outputTokens, SHORT_FROM),
    (entry.cost === null ? 'unknown' : usd(entry.cost)) + (entry.uncertainReason === null ? '' : ' ±'),
    describeDuration(entry.durationMs),
  ]);
  const headings = ['STARTED', 'STATUS', 'MODEL', 'KEY', 'IN', 'OUT', 'COST', 'TOOK'];
  const [head = '', ...lines] = table(headings, alignNumbers(rows), width).split('\n');
  const colored = lines.map((line, index) => {
    const entry = entries[index];
    if (entry?.outcome !== 'completed') return paint('bad', line);
    return entry.uncertainReason === null ? line : paint('warning', line);
  });
  return [paint('strong', head), ...colored].join('\n') + more;
}

function statusCell({ outcome, status }: EntryShape): string {
  return outcome === 'completed' ? String(status) : `${outcome} ${status || ''}`.trimEnd();
}

/** Aligns the columns of tokens and costs at their right. */
function alignNumbers(rows: readonly (readonly string[])[]): string[][] {
  const widths = [4, 5, 6].map((column) => Math.max(...rows.map((row) => textLength(row[column] ?? ''))));
  return rows.map((row) => row.map((cell, column) => alignRight(cell, widths[column - 4] ?? 0)));
}
