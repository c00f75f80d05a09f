import { type Command, Option } from 'commander';
import type { LimitShape } from '../contract/limits.ts';
import type { RefusalCountsShape, RefusalShape, RefusalsPageShape } from '../contract/refusals.ts';
import { REFUSAL_GROUPS } from '../contract/refusals.ts';
import { formatCount } from '../domain/text/counts.ts';
import { formatShortTime } from '../domain/text/dates.ts';
import {
  describeNeeded,
  describeRate,
  describeRemaining,
  describeScope,
  describeValue,
  shortSession,
} from '../domain/text/limits.ts';
import { PERSON_TAG } from '../domain/text/person.ts';
import { describeRefusalReason } from '../domain/text/refusals.ts';
import { type CliEnvironment, type CommonOptions, subcommand, type TextLayout, withContext } from './cli.ts';
import type { Client } from './client.ts';
import { findKeyId } from './key-id.ts';
import { findLimitId } from './limit-id.ts';
import { table, tableWithNotes } from './table.ts';
import { readPeriodEnd, readPeriodStart } from './time-options.ts';

type RefusalGroup = (typeof REFUSAL_GROUPS)[number];

interface RefusalOptions extends CommonOptions {
  readonly limit?: string;
  readonly key?: string;
  readonly from?: string;
  readonly to?: string;
  readonly by?: RefusalGroup;
  readonly before?: string;
}

export function limitsRefusals(limits: Command, cli: CliEnvironment): void {
  subcommand(limits, 'refusals', 'list or count the calls that limits refused')
    .argument('[limit]', 'only calls that this limit refused, by id or label')
    .option('--key <key>', 'only calls of a wrapped key, by id or name')
    .option('--from <time>', 'for example 7d, yesterday, 2026-01-31 (default: 30 days ago)')
    .option('--to <time>', 'default: now')
    .addOption(new Option('--by <group>', 'count them instead').choices(REFUSAL_GROUPS))
    .option('--limit <rows>', 'at most 500 (default: 50)')
    .option('--before <cursor>', 'the next page')
    .action((idOrLabel: string | undefined, options: RefusalOptions) =>
      withContext(cli, options, async (context) => {
        const { client, print } = context;
        const { key, by, limit, before: cursor } = options;
        const startDate = readPeriodStart(options.from, '--from', context);
        const endDate = readPeriodEnd(options.to, '--to', context);
        const limitId = idOrLabel === undefined ? undefined : await findLimitId(client, idOrLabel);
        const keyId = key === undefined ? undefined : await findKeyId(client, key);
        const query = { limitId, keyId, startDate, endDate };
        if (by !== undefined) {
          const counts = await client.call('GET /api/mcp/refusals/counts', { query: { ...query, by } });
          const names = await readRefusalNames(client);
          return print(counts, (shown, layout) => renderRefusalCounts(shown, by, names, layout));
        }
        const page = await client.call('GET /api/mcp/refusals', { query: { ...query, limit, cursor } });
        const names = await readRefusalNames(client);
        print(page, (shown, layout) => renderRefusals(shown, names, layout));
      }),
    );
}

/** Names of keys and limits by their ids. */
export interface RefusalNames {
  readonly keys: ReadonlyMap<string, string>;
  readonly limits: ReadonlyMap<string, LimitShape>;
}

/** Reads the names that people know. A deleted limit has none. */
export async function readRefusalNames(client: Client): Promise<RefusalNames> {
  const keys = await client.call('GET /api/manage/keys');
  const { limits } = await client.call('GET /api/manage/limits', { query: { values: '1' } });
  return { keys: new Map(keys.map(({ id, name }) => [id, name])), limits: new Map(limits.map((one) => [one.id, one])) };
}

export function describeRefusingLimit({ keys, limits }: RefusalNames, id: string): string {
  const limit = limits.get(id);
  if (!limit) return id;
  return limit.label ?? `${describeRate(limit)} for ${describeScope(limit.scope, (keyId) => keys.get(keyId) ?? keyId)}`;
}

function renderRefusals(
  { refusals, nextCursor }: RefusalsPageShape,
  names: RefusalNames,
  { width }: TextLayout,
): string {
  if (refusals.length === 0) return 'No refused calls.';
  const shown = refusalTable(refusals, names, width);
  return nextCursor === null ? shown : `${shown}\n\nOlder ones: tollbook limits refusals --before ${nextCursor}`;
}

export function refusalTable(refusals: readonly RefusalShape[], names: RefusalNames, width: number): string {
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
      notes: () => refusalNotes(refusal, names),
    })),
    width,
  );
}

function refusalNotes({ reason, unit, needed, remaining, ...call }: RefusalShape, names: RefusalNames): string[] {
  const { keyId, limitId, value, session, agent, tags } = call;
  const person = tags[PERSON_TAG];
  const amounts = [
    ...(needed === null ? [] : [`needed ${describeNeeded(unit, needed)}`]),
    ...(remaining === null ? [] : [`left ${describeRemaining(unit, remaining)}`]),
  ];
  const limit = names.limits.get(limitId);
  const which = limit && value !== null ? describeValue(limit, value) : '';
  return [
    [describeRefusalReason(reason), ...amounts].join(', '),
    `key ${names.keys.get(keyId) ?? keyId}`,
    ...(person === undefined ? [] : [`person ${person}`]),
    describeRefusingLimit(names, limitId),
    ...(which === '' ? [] : [which]),
    ...(session === null || which !== '' ? [] : [`session ${shortSession(session)}`]),
    ...(agent === null || which !== '' ? [] : [`agent ${agent}`]),
  ];
}

function renderRefusalCounts(
  { calls, groups }: RefusalCountsShape,
  by: RefusalGroup,
  names: RefusalNames,
  { width }: TextLayout,
): string {
  if (calls === 0) return 'No refused calls.';
  return table(
    [by.toUpperCase(), 'CALLS', ...(by === 'limit' || by === 'key' ? ['NAME'] : [])],
    [
      ...groups.map((group) => groupCells(group, by, names)),
      ['total', formatCount(calls), ...(by === 'limit' || by === 'key' ? [''] : [])],
    ],
    width,
  );
}

function groupCells(
  { value, calls }: RefusalCountsShape['groups'][number],
  by: RefusalGroup,
  names: RefusalNames,
): string[] {
  const count = formatCount(calls);
  switch (by) {
    case 'day':
      return [value.slice(0, 10), count];
    case 'reason':
      return [value, count];
    case 'key':
      return [value, count, names.keys.get(value) ?? ''];
    case 'limit':
      return [value, count, names.limits.has(value) ? describeRefusingLimit(names, value) : ''];
  }
}
