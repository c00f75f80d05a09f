import { formatShortTime, formatSpan } from '../domain/text/dates.ts';
import { type Command, Option } from 'commander';
import type { RefusalShape } from '../contract/refusals.ts';
import type { SessionDetail, SessionList } from '../contract/sessions.ts';
import { TollbookError } from '../domain/errors.ts';
import { countNoun, formatCount } from '../domain/text/counts.ts';
import { shortSession } from '../domain/text/limits.ts';
import { formatDollars } from '../domain/text/money.ts';
import { type CliEnvironment, type CommonOptions, subcommand, type TextLayout, withContext } from './cli.ts';
import type { Client } from './client.ts';
import { readRefusalNames, type RefusalNames, refusalTable } from './refusals.ts';
import { table } from './table.ts';
import { readPeriodEnd, readPeriodStart } from './time-options.ts';

interface ListOptions extends CommonOptions {
  readonly from?: string;
  readonly to?: string;
  readonly sort?: 'recent' | 'cost';
  readonly limit?: string;
}

export function sessionsList(sessions: Command, cli: CliEnvironment): void {
  subcommand(sessions, 'list', 'list sessions of calls through the gateway')
    .option('--from <time>', 'start, for example 7d, yesterday, 2026-01-31 (default: 30 days ago)')
    .option('--to <time>', 'end of the period (default: now)')
    .addOption(new Option('--sort <order>', 'recent (default) or cost').choices(['recent', 'cost']))
    .option('--limit <rows>', 'at most 500 (default: 50)')
    .action((options: ListOptions) =>
      withContext(cli, options, async (context) => {
        const { client, print } = context;
        const { from, to, sort, limit } = options;
        const query = {
          startDate: readPeriodStart(from, '--from', context),
          endDate: readPeriodEnd(to, '--to', context),
          sort,
          limit,
        };
        print(await client.call('GET /api/mcp/sessions', { query }), renderSessionList);
      }),
    );
}

export function sessionsShow(sessions: Command, cli: CliEnvironment): void {
  subcommand(
    sessions,
    'show <session>',
    'show a session with its tree of agents: by name, its beginning, or the id in Claude Code or Codex',
  ).action((session: string, options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      const detail = await readSession(client, session);
      const query = { session: detail instanceof TollbookError ? session : detail.session, limit: '20' };
      const { refusals, nextCursor } = await client.call('GET /api/mcp/refusals', { query });
      const names = await readRefusalNames(client);
      if (detail instanceof TollbookError) {
        if (refusals.length === 0) throw detail;
        return print({ session, refusals }, (_, layout) =>
          [
            `Session ${session}: every call was refused.`,
            '',
            renderSessionRefusals(refusals, names, nextCursor !== null, layout),
          ].join('\n'),
        );
      }
      print({ ...detail, refusals }, (_, layout) =>
        [
          renderSession(detail, layout),
          ...(refusals.length === 0 ? [] : ['', renderSessionRefusals(refusals, names, nextCursor !== null, layout)]),
        ].join('\n'),
      );
    }),
  );
}

/** Returns the error, if there is no such session: limits may have refused all its calls. */
async function readSession(client: Client, session: string): Promise<SessionDetail | TollbookError> {
  return await client.call('GET /api/mcp/session', { query: { session } }).catch((error: unknown) => {
    if (error instanceof TollbookError && error.type === 'not_found') return error;
    throw error;
  });
}

function renderSessionList(
  { sessions, total, from, isComplete }: SessionList,
  { width, timeZone }: TextLayout,
): string {
  const notes = isComplete ? [] : [`The period has too many calls or sessions. These are the sums since ${from}.`];
  if (sessions.length === 0) return ['No call of this period names a session.', ...notes].join('\n\n');
  const shown = table(
    ['SESSION', 'LAST CALL', 'CALLS', 'AGENTS', 'COST'],
    sessions.map((row) => [
      shortSession(row.session),
      formatShortTime(row.lastCallAt, timeZone),
      formatCount(row.calls),
      formatCount(row.agents),
      sessionCost(row),
    ]),
    width,
  );
  const hidden = total - sessions.length;
  if (hidden > 0) notes.unshift(`${countNoun(hidden, 'more session')}.`);
  return [shown, ...(notes.length === 0 ? [] : [notes.join('\n')])].join('\n\n');
}

function renderSession(detail: SessionDetail, { width, timeZone }: TextLayout): string {
  const { session, total, agents, agentsLeftOut, firstCallAt, lastCallAt, outside } = detail;
  const tree = table(
    ['AGENT', 'CALLS', 'COST', 'WITH SUB-AGENTS', 'LAST CALL', 'MODELS'],
    agents.map(({ agent, depth, own, withDescendants, lastCallAt: last, models }) => [
      `${'  '.repeat(depth)}${agent ?? 'main agent'}`,
      formatCount(own.calls),
      sessionCost(own),
      sessionCost(withDescendants),
      last === null ? '' : formatShortTime(last, timeZone),
      models.join(', '),
    ]),
    width,
  );
  return [
    `Session ${session}: ${countNoun(total.calls, 'call')}, ${sessionCost(total)}, ${formatSpan(firstCallAt, lastCallAt, timeZone)} (${timeZone})`,
    ...(agents.length > 0 ? ['', tree] : []),
    ...(agentsLeftOut > 0 ? ['', `${countNoun(agentsLeftOut, 'more agent')}; the sums above contain them.`] : []),
    ...outsideLines(outside),
  ].join('\n');
}

function renderSessionRefusals(
  refusals: readonly RefusalShape[],
  names: RefusalNames,
  hasMore: boolean,
  { width }: TextLayout,
): string {
  const shown = refusalTable(refusals, names, width);
  const title = hasMore ? `The newest ${refusals.length} calls that limits refused:` : 'Calls that limits refused:';
  return `${title}\n\n${shown}`;
}

function outsideLines(outside: SessionDetail['outside']): string[] {
  if (outside === null) return [];
  const { calls, retailCost, coveredCost } = outside;
  const cost = sessionCost({ ...outside, cost: retailCost });
  const covered = coveredCost > 0 ? `, of which a plan covers ${formatDollars(coveredCost)}` : '';
  return ['', `Reported by the assistant: ${countNoun(calls, 'call')}, ${cost}${covered}.`];
}

/** Formats a cost; ≥ marks usage without a price, ± an uncertain cost. */
function sessionCost(sum: {
  readonly cost: number;
  readonly unpricedCalls?: number | undefined;
  readonly unpricedUsage?: boolean | undefined;
  readonly uncertainCalls?: number | undefined;
}): string {
  const isMore = (sum.unpricedCalls ?? 0) > 0 || sum.unpricedUsage === true;
  return `${isMore ? '≥ ' : ''}${formatDollars(sum.cost)}${(sum.uncertainCalls ?? 0) > 0 ? ' ±' : ''}`;
}
