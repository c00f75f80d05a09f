import { type Command, Option } from 'commander';
import type { AlertShape } from '../contract/alerts.ts';
import {
  collect,
  type CliEnvironment,
  type CommandContext,
  type CommonOptions,
  subcommand,
  type TextLayout,
  withContext,
} from './cli.ts';
import { plainText, tableWithNotes } from './table.ts';
import { textLines } from './text-lines.ts';
import { readDeadline } from './time-options.ts';
import type { MuteShape } from '../contract/anomalies.ts';
import { TollbookError } from '../domain/errors.ts';
import { parseDuration } from '../domain/time/duration.ts';
import { MUTABLE_TYPES } from '../domain/alerts/mute.ts';
import { toIso } from '../domain/time/period.ts';
import { findKeyId } from './key-id.ts';
import { readTags } from './tags.ts';
import { formatDateTime, formatShortTime } from '../domain/text/dates.ts';

/** `COST_SPIKE, key key_…` and below it until when, and the mute's id. */
export function describeMute({ id, type, scope, until }: MuteShape): string {
  const end = until === null ? 'until it is removed' : `until ${formatDateTime(until, 'UTC')} UTC`;
  const what = textLines(`${type ?? 'all types that can be muted'}, ${scopeText(scope)}`);
  return [...what, `${end} (${id})`].map(plainText).join('\n  ');
}

export function scopeText(scope: MuteShape['scope']): string {
  const parts = Object.entries(scope).map(([name, value]) =>
    name.startsWith('tag:') ? `${name.slice('tag:'.length)}=${value}` : `${name} ${value}`,
  );
  return parts.length === 0 ? 'everything' : parts.join(', ');
}

interface ListAlertOptions extends CommonOptions {
  readonly limit?: string;
  readonly unread?: boolean;
}

export function alertsList(alerts: Command, cli: CliEnvironment): void {
  subcommand(alerts, 'list', 'list alerts, newest first')
    .option('--limit <number>', 'at most 100 (default: 20)')
    .option('--unread', 'only unread alerts')
    .action((options: ListAlertOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const { limit, unread } = options;
        const unreadOnly = unread ? 'true' : undefined;
        print(await client.call('GET /api/mcp/alerts', { query: { limit, unreadOnly } }), (found, paper) =>
          found.length === 0 && unread ? 'No unread alerts.' : renderAlerts(found, paper),
        );
      }),
    );
}

function renderAlerts(alerts: readonly AlertShape[], { width }: TextLayout): string {
  if (alerts.length === 0) return 'No alerts.';
  return tableWithNotes(
    ['ID', 'AT UTC', 'TYPE', 'SEVERITY', 'STATE', 'READ'],
    alerts.map(({ id, createdAt, type, severity, title, read, resolvedAt }) => ({
      cells: [id, formatShortTime(createdAt, 'UTC'), type, severity, resolvedAt ? 'over' : 'open', read ? 'yes' : 'no'],
      notes: () => textLines(title),
    })),
    width,
  );
}

export function alertsRead(alerts: Command, cli: CliEnvironment): void {
  subcommand(alerts, 'read <id>', 'show an alert and mark it as read').action((id: string, options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      print(await client.call('POST /api/mcp/alerts/{id}/read', { params: { id } }), renderReadAlert);
    }),
  );
}

function renderReadAlert({ type, severity, createdAt, resolvedAt, title, message }: AlertShape): string {
  const state = resolvedAt === null ? 'open' : `resolved ${minute(resolvedAt)}`;
  return `${type}  ${severity}  ${minute(createdAt)}  ${state}\n${plainText(title)}\n\n${plainText(message)}`;
}

function minute(time: string): string {
  return `${formatDateTime(time, 'UTC')} UTC`;
}

interface MuteAlertOptions extends CommonOptions {
  readonly type?: string;
  readonly key?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly limit?: string;
  readonly tag: readonly string[];
  readonly for?: string;
  readonly until?: string;
  readonly reason: string;
}

export function alertsMute(alerts: Command, cli: CliEnvironment): void {
  subcommand(alerts, 'mute', 'mute alerts')
    .requiredOption('--reason <text>', 'why, shown in the list of mutes')
    .option('--type <type>', `${MUTABLE_TYPES.join(', ').toLowerCase()} (default: all of these)`)
    .option('--key <id or name>', 'alerts about this wrapped key')
    .option('--model <name>', 'alerts about this model')
    .option('--provider <id>', 'alerts about this provider')
    .option('--limit <id>', 'alerts about this limit')
    .option('--tag <key=value>', 'alerts about this tag; may be repeated', collect, [])
    .option('--for <duration>', 'for example 90s, 15m, 2h, 7d')
    .addOption(new Option('--until <time>', 'for example tomorrow, friday, 2027-01-31').conflicts('for'))
    .action((options: MuteAlertOptions) =>
      withContext(cli, options, async (context) => {
        const { client, print } = context;
        const { reason, model, provider, limit, key } = options;
        const scope: Record<string, string> = {};
        if (key !== undefined) scope['key'] = await findKeyId(client, key);
        for (const [name, value] of Object.entries({ model, provider, limit }))
          if (value !== undefined) scope[name] = value;
        for (const [name, value] of Object.entries(readTags(options.tag))) scope[`tag:${name}`] = value;
        const body = { type: readMutedType(options.type), scope, until: readMuteEnd(options, context), reason };
        print(await client.call('POST /api/manage/mutes', { body }), (mute) => `Muted: ${describeMute(mute)}`);
      }),
    );
}

function readMutedType(text: string | undefined): MuteShape['type'] {
  if (text === undefined) return null;
  const type = MUTABLE_TYPES.find((known) => known === text.trim().toUpperCase());
  if (type) return type;
  const types = MUTABLE_TYPES.join(', ').toLowerCase();
  throw new TollbookError('invalid', `"${text}" can't be muted; choose from ${types}.`);
}

function readMuteEnd({ for: duration, until }: MuteAlertOptions, context: CommandContext): string | null {
  if (duration !== undefined) return toIso(context.clock() + parseDuration(duration, '--for'));
  return until === undefined ? null : readDeadline(until, '--until', context);
}

export function alertsMutes(alerts: Command, cli: CliEnvironment): void {
  subcommand(alerts, 'mutes', 'list mutes').action((options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      print(await client.call('GET /api/manage/mutes'), renderMutesAlert);
    }),
  );
}

function renderMutesAlert(mutes: readonly MuteShape[], { width }: TextLayout): string {
  if (mutes.length === 0) return 'Nothing is muted. To mute alerts: tollbook alerts mute --reason TEXT';
  return tableWithNotes(
    ['ID', 'TYPE', 'UNTIL UTC'],
    mutes.map(({ id, type, until, scope, reason }) => ({
      cells: [id, type ?? 'all', until === null ? 'removed' : formatDateTime(until, 'UTC')],
      notes: () => [...textLines(scopeText(scope)), ...textLines(reason)],
    })),
    width,
  );
}

export function alertsUnmute(alerts: Command, cli: CliEnvironment): void {
  subcommand(alerts, 'unmute <id>', 'delete a mute').action((id: string, options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      const removed = await client.call('DELETE /api/manage/mutes/{id}', { params: { id } });
      print(removed, (mute) => `Unmuted: ${describeMute(mute)}`);
    }),
  );
}
