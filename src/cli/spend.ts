import { type Command, Option } from 'commander';
import type { CoveredUsage, UsageSeries } from '../contract/usage.ts';
import { type Period, toIso } from '../domain/time/period.ts';
import { COST_BASES, type CostBasis, type EntrySource } from '../domain/usage/call.ts';
import { type CliEnvironment, type CommandContext, type CommonOptions, subcommand, withContext } from './cli.ts';
import { findKeyId } from './key-id.ts';
import {
  buildSpendRows,
  GROUPING_NAMES,
  readGroupings,
  type SpendBreakdown,
  type SpendGrouping,
  type SpendReport,
  sumSpend,
  totalSpend,
} from './spend-rows.ts';
import { renderSpend } from './spend-text.ts';
import { readPeriodEnd, readPeriodStart } from './time-options.ts';
import { userTimeZone } from './terminal.ts';

interface SpendOptions extends CommonOptions {
  readonly by: string;
  readonly since: string;
  readonly until: string;
  readonly compare?: boolean;
  readonly top: string;
  readonly key?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly tag?: string;
  readonly session?: string;
  readonly cost?: CostBasis;
}

export function spendCommand(program: Command, cli: CliEnvironment): void {
  subcommand(program, 'spend', 'show cost, calls and tokens of a period')
    .option('--by <groups>', `${GROUPING_NAMES.join(', ')}; several with commas`, 'model')
    .option('--since <time>', 'start, for example 7d, yesterday, monday, month, 2026-01-31', '30d')
    .option('--until <time>', 'end; a day is included', 'now')
    .option('--compare', 'compare with the period of the same length before')
    .option('--top <number>', 'values shown of a group, at most 100; the others are summed', '10')
    .option('--key <key>', 'only calls of a wrapped key, by id or name')
    .option('--model <name>', 'only calls of a model')
    .option('--provider <id>', 'only calls to a provider')
    .option('--tag <key=value>', 'only calls with a tag')
    .option('--session <name>', 'only calls of a session')
    .addOption(new Option('--cost <basis>', 'list prices, or prices by contract').choices(COST_BASES))
    .action((options: SpendOptions) => {
      const groupings = readGroupings(options.by);
      return withContext(cli, options, async (context) => {
        context.print(await readSpend(groupings, options, context), renderSpend);
      });
    });
}

async function readSpend(
  groupings: readonly SpendGrouping[],
  options: SpendOptions,
  context: CommandContext,
): Promise<SpendReport> {
  const { client, terminal } = context;
  const query = await spendQuery(options, context);
  const { key, model, provider, tag, session } = options;
  const isFiltered = [key, model, provider, tag, session].some((filter) => filter !== undefined);
  const breakdowns: SpendBreakdown[] = [];
  for (const grouping of groupings) {
    const { name, by, tagKey, step } = grouping;
    const asked = { ...query, step, limit: options.top, ...(by && { by }), ...(tagKey !== undefined && { tagKey }) };
    const series = await client.call('GET /api/mcp/usage/series', { query: asked });
    breakdowns.push({ by: name, ...(by === null && { step }), rows: buildSpendRows(series, grouping) });
  }
  const bySource = await client.call('GET /api/mcp/usage/series', { query: { ...query, step: 'month', by: 'source' } });
  return {
    period: bySource.period,
    timeZone: userTimeZone(terminal),
    comparedWith: bySource.comparison?.period ?? null,
    total: totalSpend(bySource),
    breakdowns,
    sources: sumSources(bySource),
    covered: sumCovered(bySource),
    organizations: isFiltered ? null : await readOrganizations(query, context),
    keyNames: await readKeyNames(groupings, context),
  };
}

type SpendQuery = Readonly<Record<'startDate' | 'endDate', string>> & Readonly<Record<string, string>>;

async function spendQuery(options: SpendOptions, context: CommandContext): Promise<SpendQuery> {
  const { key, model, provider, tag, session } = options;
  const startDate = readPeriodStart(options.since, '--since', context);
  const endDate = readPeriodEnd(options.until, '--until', context);
  return {
    startDate,
    endDate,
    ...(key !== undefined && { keyId: await findKeyId(context.client, key) }),
    ...(model !== undefined && { model }),
    ...(provider !== undefined && { provider }),
    ...(tag !== undefined && { tag }),
    ...(session !== undefined && { session }),
    ...(options.cost !== undefined && { cost: options.cost }),
    ...(options.compare && comparedPeriod({ start: Date.parse(startDate), end: Date.parse(endDate) })),
  };
}

function comparedPeriod({ start, end }: Period): Record<'compareStartDate' | 'compareEndDate', string> {
  return { compareStartDate: toIso(Math.max(0, start - (end - start))), compareEndDate: toIso(start) };
}

function sumSources({ points }: UsageSeries): SpendReport['sources'] {
  return [...Map.groupBy(points, ({ value }) => value)].map(([value, own]) =>
    Object.assign(sumSpend(own), { source: value as EntrySource }),
  );
}

function sumCovered({ covered = [] }: UsageSeries): SpendReport['covered'] {
  if (covered.length === 0) return null;
  const add = (read: (one: CoveredUsage) => number): number => covered.reduce((sum, one) => sum + read(one), 0);
  return { cost: add(({ cost }) => cost), calls: add(({ calls }) => calls) };
}

async function readOrganizations(
  { startDate, endDate }: SpendQuery,
  { client }: CommandContext,
): Promise<SpendReport['organizations']> {
  const { organizations } = await client.call('GET /api/manage/coverage', {
    query: { startDate, endDate, step: 'month' },
  });
  return organizations.map(({ name, unknown, share }) => ({ name, unknown, share }));
}

async function readKeyNames(
  groupings: readonly SpendGrouping[],
  { client }: CommandContext,
): Promise<SpendReport['keyNames']> {
  if (!groupings.some(({ by }) => by === 'key')) return {};
  const keys = await client.call('GET /api/manage/keys');
  return Object.fromEntries(keys.map(({ id, name }) => [id, name]));
}
