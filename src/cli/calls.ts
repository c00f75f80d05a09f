import { type Command, Option } from 'commander';
import type { EntriesPage, EntryShape } from '../contract/entries.ts';
import { callTable, type CallTableView, followedCallLines } from './call-table.ts';
import { type CliEnvironment, type CommandContext, type CommonOptions, subcommand, withContext } from './cli.ts';
import { followCalls } from './follow-calls.ts';
import { findKeyId } from './key-id.ts';
import { possibleDuplicatesTable } from './possible-duplicates.ts';
import { readRefusalNames, refusalTable } from './refusals.ts';
import { readPeriodEnd, readPeriodStart } from './time-options.ts';
import { userTimeZone } from './terminal.ts';

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
  readonly possibleDuplicates?: boolean;
  readonly follow?: boolean;
}

/** Filters that refused calls do not have. */
const NOT_OF_REFUSALS = ['model', 'provider', 'tag', 'minCost', 'failed', 'uncertain', 'unpriced'];
/** Options that calls outside the gateway do not have. */
const NOT_OF_DUPLICATES = [...NOT_OF_REFUSALS, 'key', 'session', 'refused', 'follow'];

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
    .addOption(
      new Option(
        '--possible-duplicates',
        'calls outside the gateway that may be calls of the gateway too, and are counted',
      ).conflicts(NOT_OF_DUPLICATES),
    )
    .addOption(new Option('--follow', 'also print calls as they end, until Ctrl-C').conflicts(['refused', 'until']))
    .option('--limit <rows>', 'at most 500', '20')
    .action((options: CallOptions) => withContext(cli, options, (context) => chooseList(options)(options, context)));
}

function chooseList({ refused, possibleDuplicates }: CallOptions): typeof showCalls {
  return refused ? showRefused : possibleDuplicates ? showPossibleDuplicates : showCalls;
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

async function showPossibleDuplicates(options: CallOptions, context: CommandContext): Promise<void> {
  const { client, print, terminal } = context;
  const { startDate, endDate, limit } = await readCommonQuery(options, context);
  const query = { startDate, endDate, limit, possibleDuplicates: 'true' } as const;
  const timeZone = userTimeZone(terminal);
  print(await client.call('GET /api/mcp/observed-calls', { query }), (page, layout) =>
    possibleDuplicatesTable(page, timeZone, layout),
  );
}

async function showCalls(options: CallOptions, context: CommandContext): Promise<void> {
  const { client, print, terminal, layout } = context;
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
  const keys = await client.call('GET /api/manage/keys');
  const keyNames = new Map(keys.map(({ id, name }) => [id, name]));
  const view = { keyNames, timeZone: userTimeZone(terminal), layout };
  if (options.follow) {
    const toLines = options.json ? jsonLines : followedCallLines(view);
    return followCalls(client, query, Number(options.limit), (entries) => terminal.out(toLines(entries)));
  }
  print(await client.call('GET /api/mcp/entries', { query }), (page) => renderCallPage(page, view));
}

function renderCallPage({ entries, nextCursor }: EntriesPage, view: CallTableView): string {
  const more = nextCursor === null ? '' : '\n\nThere are more: raise --limit, or narrow the period.';
  if (entries.length === 0) return nextCursor === null ? 'No calls.' : `No calls among the newest.${more}`;
  return callTable(entries, view) + more;
}

function jsonLines(entries: readonly EntryShape[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}
