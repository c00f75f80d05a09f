import { type Command, Option } from 'commander';
import type { RefusalCountsShape, RefusalShape, RefusalsPageShape } from '../contract/refusals.ts';
import { REFUSAL_GROUPS } from '../contract/refusals.ts';
import { formatCount } from '../domain/text/counts.ts';
import { formatShortTime } from '../domain/text/dates.ts';
import { describeShownAmount } from '../domain/text/limits.ts';
import { describeRefusalReason } from '../domain/text/refusals.ts';
import { type CliEnvironment, type CommonOptions, subcommand, type TextLayout, withContext } from './cli.ts';
import { findKeyId } from './key-id.ts';
import { table, tableWithNotes } from './table.ts';

interface RefusalOptions extends CommonOptions {
  readonly limit?: string;
  readonly key?: string;
  readonly from?: string;
  readonly to?: string;
  readonly by?: (typeof REFUSAL_GROUPS)[number];
  readonly before?: string;
}

export function limitsRefusals(limits: Command, cli: CliEnvironment): void {
  subcommand(limits, 'refusals', 'list or count the calls that limits refused')
    .argument('[id]', 'only calls that this limit refused')
    .option('--key <key>', 'only calls of a wrapped key, by id or name')
    .option('--from <date>', 'ISO 8601 (default: 30 days ago)')
    .option('--to <date>', 'ISO 8601 (default: now)')
    .addOption(new Option('--by <group>', 'count them instead').choices(REFUSAL_GROUPS))
    .option('--limit <rows>', 'at most 500 (default: 50)')
    .option('--before <cursor>', 'the next page')
    .action((limitId: string | undefined, options: RefusalOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const { key, from: startDate, to: endDate, by, limit, before: cursor } = options;
        const keyId = key === undefined ? undefined : await findKeyId(client, key);
        const query = { limitId, keyId, startDate, endDate };
        if (by !== undefined)
          return print(
            await client.call('GET /api/mcp/refusals/counts', { query: { ...query, by } }),
            (counts, paper) => renderRefusalCounts(counts, by, paper),
          );
        print(await client.call('GET /api/mcp/refusals', { query: { ...query, limit, cursor } }), renderRefusals);
      }),
    );
}

function renderRefusals({ refusals, nextCursor }: RefusalsPageShape, { width }: TextLayout): string {
  if (refusals.length === 0) return 'No refused calls.';
  const shown = refusalTable(refusals, width);
  return nextCursor === null ? shown : `${shown}\n\nOlder ones: tollbook limits refusals --before ${nextCursor}`;
}

export function refusalTable(refusals: readonly RefusalShape[], width: number): string {
  return tableWithNotes(
    ['AT UTC', 'CALLS', 'MODEL', 'LIMIT', 'REASON'],
    refusals.map((refusal) => ({
      cells: [
        formatShortTime(refusal.at, 'UTC'),
        formatCount(refusal.calls),
        refusal.model ?? '(summed)',
        refusal.limitId,
        refusal.reason,
      ],
      notes: () => [describeRefusal(refusal)],
    })),
    width,
  );
}

function describeRefusal({ reason, unit, needed, remaining, keyId }: RefusalShape): string {
  const amounts = [
    ...(needed === null ? [] : [`needed ${describeShownAmount(unit, needed)}`]),
    ...(remaining === null ? [] : [`left ${describeShownAmount(unit, remaining)}`]),
  ];
  return `${[describeRefusalReason(reason), ...amounts].join(', ')} (${keyId})`;
}

function renderRefusalCounts({ calls, groups }: RefusalCountsShape, by: string, { width }: TextLayout): string {
  if (calls === 0) return 'No refused calls.';
  return table(
    [by.toUpperCase(), 'CALLS'],
    [
      ...groups.map((group) => [by === 'day' ? group.value.slice(0, 10) : group.value, formatCount(group.calls)]),
      ['total', formatCount(calls)],
    ],
    width,
  );
}
